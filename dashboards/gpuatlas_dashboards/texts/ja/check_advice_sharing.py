"""Japanese causes and first steps of the checks of the sharing layer, from those of `alerts/`."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.texts.shapes.check_catalogue import CheckAdviceTexts

# Actions that several signals share.
_TEMPLATE: Final = "Pod テンプレートからその変数を外す：kubectl -n <namespace> edit <kind>/<name>"
_AGAIN: Final = "プラグインの Pod を kubectl delete pod で消す"
_REGISTER: Final = (
    "ノードのプラグインを再起動すれば登録し直される：kubectl get pods -A -o wide"
    f" --field-selector spec.nodeName=<node> で探し、{_AGAIN}"
)
_CONFIGURED: Final = (
    "ノードのプラグインを再起動すれば設定を読み直す：kubectl get pods -A -o wide"
    f" --field-selector spec.nodeName=<node> で探し、{_AGAIN}"
)
_RECREATE: Final = (
    "Webhook を直してから Pod を作り直させる：kubectl -n <namespace> delete pod <name>"
)
_PAST_ITS_END: Final = (
    "期限を過ぎると API サーバーは Webhook に問い合わせずに Pod を作る（失敗時ポリシー Ignore）。"
)
_DRIFTED: Final = "プラグインの起動後に設定が変わった、ノードの名前指定が合っていない、または二つの設定が食い違っている。"
_UPGRADE: Final = (
    "イメージを比べてアップグレードを完了させる：kubectl -n <namespace> get daemonsets,deployments"
    " -o wide"
)

# Key → cause, first step.
_SAID: Final[dict[str, tuple[str, str]]] = {
    "S01|disable-control": (
        "コンテナー自身の env にこの変数があると、デバイスプラグインは介入ライブラリーをマウントしない。",
        _TEMPLATE,
    ),
    "S01|limit-off": (
        "プロセスが CUDA_DEVICE_MEMORY_LIMIT なしで起動した：新しいログインセッション、env を消すエントリーポイント、または別の Pod の Allocate。",
        "所有者の同意を得て Pod を 1 つずつ再起動する：kubectl -n <namespace> delete pod <name>",
    ),
    "S01|not-counted": (
        "介入ライブラリーが読み込まれていない：libvgpu.so を読めない・preload できない、静的リンクや musl のバイナリー、入れ子のコンテナー、または env を失ったセッション。",
        'ログの "cannot be preloaded" と preload ファイルを調べる：kubectl -n <namespace> exec <pod> -- cat /etc/ld.so.preload',
    ),
    "S01|sandbox-runtime": (
        "gVisor は preload ファイルを黙って無視する。ほかのサンドボックスランタイムでも有効とわかっているものはない。",
        "RuntimeClass を外すか、カード全体または MIG インスタンスを与える：kubectl -n <namespace> edit <kind>/<name>",
    ),
    "S01|core-limit-off": (
        "このポリシーはプロセス内で計算能力の上限を無効にする。メモリーの上限は残る。",
        _TEMPLATE,
    ),
    "S02": (
        "同時に起動した別の Pod の上限がコンテナーに渡ったか、起動後にアノテーションの約束が書き換えられた。",
        "所有者の同意を得て Pod を再起動し、上限を設定し直す：kubectl -n <namespace> delete pod <pod>",
    ),
    "S03|over-promise": (
        "介入ライブラリーに見えないメモリーがある：プール・VMM・IPC のメモリー、env のないプロセス、古い libvgpu、または隔離なし。同じカードの隣人がメモリー不足になり得る。",
        "所有者に知らせ、同じ Pod の S01 を見る。それだけ必要なら専用のカードへ移す：kubectl -n <namespace> describe pod <pod>",
    ),
    "S03|over-limit": (
        "共有層は数えるだけで拒まない（複数プロセスの同時確保、後から数えられるメモリー）、または計数がずれている。",
        "ドライバーの値と比べる：kubectl -n <namespace> exec <pod> -c <container> -- nvidia-smi",
    ),
    "S03|uncounted": (
        "共有層の外のプロセスがカードのメモリーを持っている（S04 を参照）か、テナントのメモリーが計上から漏れている。",
        "ノードでカードのプロセスを列挙し、どのテナントのものでもないものを探す：nvidia-smi --query-compute-apps=gpu_uuid,pid,used_memory --format=csv",
    ),
    "S04|visible-devices": (
        "ベンダーのランタイムが既定のとき、NVIDIA_VISIBLE_DEVICES または ASCEND_VISIBLE_DEVICES だけでカードがコンテナーに見える。上限も計上もない。",
        "割り当てを要求させるか、変数を none にする：kubectl -n <namespace> edit <kind>/<name>",
    ),
    "S04|host-device": (
        "カードのデバイスファイル、または特権 Pod での /dev の hostPath が、デバイスプラグインを通らずカードに届く。",
        "ボリュームを外して割り当てを要求させる。ノードのエージェントなら通知を止める：kubectl -n <namespace> edit <kind>/<name>",
    ),
    "S04|privileged": (
        "このランタイムの特権コンテナーからは、ノードの全カードが見える。",
        "カードを使っているか確かめ、特権または RuntimeClass を外す：kubectl -n <namespace> edit <kind>/<name>",
    ),
    "S05": (
        "計算能力の上限が無効（disableCoreLimit、GPU_CORE_UTILIZATION_POLICY=disable）、ライブラリーがホストの PID を知らない、処理が CUDA グラフで動く、またはこの機種では抑制がうまく効かない。",
        "Pod と共有層の設定で、ポリシーと env を調べる：kubectl -n <namespace> get pod <pod> -o yaml",
    ),
    "S06": (
        "コンテナー vgpu-monitor がない、クラッシュする（ライブラリーのバージョン混在、v2.9 までは 1 を超える優先度）、HTTP 500 を返す（不正なラベルが 1 つ）、または到達できない。",
        "ノードにある共有層のデバイスプラグインの Pod を探し、モニターのログを読み、Pod を再起動する：kubectl get pods -A -o wide --field-selector spec.nodeName=<node>",
    ),
    "S07|absent": (
        "設定が消された、そもそも入っていない（admissionWebhook.enabled=false）、または別のリリースの Service を指している。",
        "Webhook を有効にしてチャートを入れ直す。現状の確認：kubectl get mutatingwebhookconfigurations -o yaml",
    ),
    "S07|not-covering": (
        "ルールが書き換えられたか、セレクターがすべての Pod を除外している。",
        "ルールとセレクターをチャートのものと比べる：kubectl get mutatingwebhookconfigurations -o yaml",
    ),
    "S07|no-endpoints": (
        "スケジューラーの Pod が Ready でない、または（v2.9 以降）Service が選ぶラベル hami.io/scheduler-role=leader をどれも持たない。",
        "スケジューラーの Pod とラベルを見る：kubectl -n <namespace> get pods -l app.kubernetes.io/component=hami-scheduler --show-labels",
    ),
    "S07|unreachable": (
        "プロセスが固まっている、別の場所で待ち受けている、またはネットワークポリシーが遮っている。API サーバーは待った後、Webhook なしで Pod を作る。",
        "スケジューラーのログを見て、記録にあるアドレスを試す：kubectl -n <namespace> logs -l app.kubernetes.io/component=hami-scheduler -c vgpu-scheduler-extender --tail=50",
    ),
    "S08|ends": (
        f"更新されていないか、更新されたのにプロセスが古いものを出している：v2.8 より前の HAMi は起動時にしかファイルを読まない。{_PAST_ITS_END}",
        "証明書を更新し（cert-manager またはチャートの patch ジョブ）、スケジューラーを再起動する：kubectl rollout restart -n <namespace> deployment -l app.kubernetes.io/component=hami-scheduler",
    ),
    "S08|ca-ends": (
        f"caBundle の CA のうち、出している証明書に署名したものの期限が、証明書の期限にかかわらず、近いか切れている。{_PAST_ITS_END}",
        "新しい CA とそれによる証明書を発行し、caBundle に書き込む：kubectl get mutatingwebhookconfiguration <configuration> -o yaml",
    ),
    "S08|not-verified": (
        "caBundle が空か別の導入のもの、または証明書が別の Service を指している。API サーバーは Webhook を信頼せず、問い合わせずに Pod を作る（失敗時ポリシー Ignore）。",
        "チャートの patch ジョブまたは cert-manager に caBundle を書き直させ、API サーバーのログで Webhook の呼び出しを見る：kubectl get mutatingwebhookconfigurations -o yaml",
    ),
    "S09|default-scheduler": (
        "Webhook を通らず（S07 と S08 を参照）、別のスケジューラーが配置した。上限なしで動く、UnexpectedAdmissionError で失敗する、または別の Pod の割り当てを取ることがある。",
        _RECREATE,
    ),
    "S09|pending": (
        'Webhook を通っていない（S07 と S08 を参照）。"Insufficient nvidia.com/gpumem" のまま待ち続ける。',
        _RECREATE,
    ),
    "S09|ignore-label": (
        "誰が付けたにせよ、このラベルは API サーバーに Webhook を呼ばせない。",
        "Pod テンプレートからラベルを外す：kubectl -n <namespace> edit <kind>/<name>",
    ),
    "S09|privileged": (
        "HAMi は v2.9 まで特権コンテナーを対象外とし、v2.10 からは Pod を拒む。しかもノードの全カードがこの Pod に開かれている。",
        "特権を外すか、専用のノードを与える：kubectl -n <namespace> edit <kind>/<name>",
    ),
    "S10|not-ready": (
        "プラグインがクラッシュする、ドライバーに届かない、またはプローブに失敗する。Ready になるまでノードは新しいテナントを受けない。動いているものは続く。",
        "Pod を探し、イベントとログを読む：kubectl -n <namespace> get pods -o wide --field-selector spec.nodeName=<node>",
    ),
    "S10|missing": (
        "DaemonSet が許容しない taint、失われたノードラベル（S11）、ノードの余裕不足、または消された DaemonSet。",
        "ノードのラベルと taint を DaemonSet のセレクターと toleration と比べる：kubectl describe node <node>",
    ),
    "S11": (
        "ラベルが消されたか、ノードがラベルなしで作り直された。プラグインがノードを離れ、登録もモニターも失われる。",
        "意図して共有層から外したのでなければ付け直す：kubectl label node <node> <key>=<value>",
    ),
    "S12|missing": (
        "登録アノテーションが消されたか、プラグインが書けなかった。スケジューラーはこのノードに何も配置しない。",
        _REGISTER,
    ),
    "S12|dropped": (
        "プラグインがスケジューラーの問い合わせに 60 秒以内に答えなかった。スケジューラーはもう問い合わせないことがある。",
        _REGISTER,
    ),
    "S12|heartbeat": (
        "プラグインが固まっているか、API サーバーに書けない。スケジューラーは 60 秒応答のないノードをあきらめる。",
        _REGISTER,
    ),
    "S12|unhealthy": (
        "プラグインがカードの XID を見た。再起動するまで、カードを正常に戻すことはない。",
        "まずカードのハードウェアチェック（H01、H03、H12）を見る。正常なら、ノードのプラグインを再起動する：kubectl get pods -A -o wide --field-selector spec.nodeName=<node>",
    ),
    "S12|fewer": (
        "ドライバーがカードを認識する前にプラグインが起動したか、カードを拒んだ。登録されていないカードには何も配置されない。",
        _REGISTER,
    ),
    "S12|unknown-card": (
        "カードが交換・移動・消失したのに、プラグインが古い一覧を保っている（新しい版は変化時にしか書かない）。そこに配置された Pod は起動できない。",
        _REGISTER,
    ),
    "S13|allocating": (
        "プラグインが割り当てを終えていない。ノードの次の Pod に、この Pod の分が渡ることがある。",
        "所有者の同意を得て Pod を消す。コントローラーが作り直す：kubectl -n <namespace> delete pod <name>",
    ),
    "S13|failed": (
        "プラグインが割り当てを拒んだ：スケジューラーの選択と kubelet の要求が異なる、またはカードがない。",
        "ノードのプラグインのログで理由を読み、Pod を消す：kubectl -n <namespace> get pods -o wide --field-selector spec.nodeName=<node>",
    ),
    "S13|admission-error": (
        "Pod が共有層のスケジューラーを通らずにノードへ来た（S07、S09）、別の Pod が割り当てを取った、または途中でカードが異常になった。",
        "どれか 1 つのメッセージを読む：kubectl -n <namespace> get pods --field-selector status.phase=Failed -o jsonpath='{.items[*].status.message}'",
    ),
    "S13|lock": (
        "ロックを取った割り当てが終わらない。解放されるか期限切れ（既定 5 分）になるまで、共有層はこのノードに何も配置しない。",
        "所有者の Pod がまだ起動中か見る。起動しないなら消し、すでにないなら、記録にあるアノテーションを外す：kubectl annotate node <node> <annotation>-",
    ),
    "S13|terminating": (
        "止められないプロセス（ドライバー呼び出し）、finalizer、または応答しないノード。Pod が消えるまで、スケジューラーはその分を数え続ける。",
        "何が止めているか見る：kubectl -n <namespace> get pods -o wide、次に finalizer とノード <node> の kubelet",
    ),
    "S14|over-schedulable": (
        "スケジューラーが 2 つある、配置の途中で再起動した、テナントがいるまま倍率を下げた、または手で書かれたアノテーション。",
        "カードのテナントへの約束を比べ、いちばん新しいものを移す：kubectl get pods -A -o wide --field-selector spec.nodeName=<node>",
    ),
    "S14|unknown-card": (
        "カードが交換された、MIG の構成が変わった、または今の設定で隠されている。",
        "所有者の同意を得て Pod を再起動すれば、実在するカードを受け取る：kubectl -n <namespace> delete pod <name>",
    ),
    "S14|books-differ": (
        "スケジューラーが消えた Pod を数え続けているか、一部を見落としている。入るはずの処理を拒むか、入らない処理を配置する。",
        "共有層のスケジューラーを再起動すれば、Pod から数え直す：kubectl get deployments -A -l app.kubernetes.io/component=hami-scheduler",
    ),
    "S14|views-differ": (
        "プラグインがスケジューラーの記録と別のカードを渡した（enablegetpreferredallocation）か、別の Pod の割り当てを取った。",
        "実際に持っているカードを見る：kubectl -n <namespace> exec <pod> -- nvidia-smi -L",
    ),
    "S14|forged": (
        "Pod を書ける誰かがアノテーションを変えたか、共有層が 2 つの Pod を取り違えた。",
        "誰が書いたか調べる：kubectl -n <namespace> get pods --show-managed-fields -o yaml",
    ),
    "S14|two-leaders": (
        "複数レプリカなのにリーダー選出が無効、2 つの導入が同じスケジューラー名を使う、または古いリーダーが退いていない。",
        "原因がわかるまでレプリカを 1 つにする：kubectl get pods,leases -n <namespace>",
    ),
    "S14|no-leader": (
        "スケジューラーが止まっている、API サーバーに届かない、または Lease を書く権限がない。",
        "スケジューラーと Lease を見る：kubectl get pods,leases -n <namespace>",
    ),
    "S15|split-count": (_DRIFTED, _CONFIGURED),
    "S15|memory-scaling": (_DRIFTED, _CONFIGURED),
    "S15|mode": (_DRIFTED, _CONFIGURED),
    "S15|not-restarted": (
        "共有層は起動時にしか設定を読まないため、変更がまだ効いていない。",
        "設定を読むものをノードごとに順に再起動する：kubectl -n <namespace> get daemonsets,deployments で探し、kubectl rollout restart",
    ),
    "S15|unreadable": (
        "設定に書き誤りがある。次に読むものは起動しないか、既定値で起動する。",
        "何かが再起動する前に直す：kubectl -n <namespace> edit <kind>/<name>",
    ),
    "S15|unknown-node": (
        "ノードがなくなったか、名前の綴りが違う。その項目は効かず、既定値が使われる。",
        "ノードの名前と比べる：kubectl get nodes -o name",
    ),
    "S16|components": (
        "一部だけを変えたアップグレード、または手で設定したイメージタグ。バージョンによりアノテーションもメトリックも異なる。",
        _UPGRADE,
    ),
    "S16|nodes": (
        "途中で止まったロールアウト：updateStrategy OnDelete、応答しないノード、または取得できないイメージ。",
        "ロールアウトの進み具合を見る：kubectl -n <namespace> rollout status <kind>/<name> --timeout=5s",
    ),
    "S16|replicas": (
        "途中で止まったロールアウト。リーダーが替わると、別のバージョンが Pod を配置する。",
        _UPGRADE,
    ),
    "S16|broken": (
        "HAMi 2.8.1 はバージョン番号を変えずに共有メモリーの配置をずらした。モニターは壊れた値を読み、ページの取得に失敗する。",
        "2.8.2 以降へ上げてから、起動時のライブラリーを使い続けるテナントを再起動する：kubectl -n <namespace> get daemonsets,deployments -o wide",
    ),
    "S17|ends": (
        "ライセンスには期限がある。切れたとき、新しいテナントを拒むか、動作中のものを遅くするかはベンダー次第。",
        "ベンダーとライセンスを更新し、<source> の内容を置き換える。",
    ),
    "S17|missing": (
        "オブジェクトが消された・名前が変わった、または exporter の設定の名前が違う。",
        "別の名前で存在しないか調べ、どちらかを直す：kubectl -n <namespace> get <kind>/<name>",
    ),
    "S17|unreadable": (
        "ベンダーがライセンスの形式を変えたか、exporter の設定が違うフィールドを指している。",
        "フィールドを exporter の設定と比べる：kubectl -n <namespace> get <kind>/<name> -o yaml",
    ),
    "S17|vgpu-unlicensed": (
        "ゲストにクライアントトークンがない、ライセンスサーバーに届かない、またはライセンスが足りない。なければ、しばらくして速度が落とされる。",
        "ノードで nvidia-smi -q | grep -i licen、および nvidia-gridd のログ：journalctl -u nvidia-gridd",
    ),
}

TEXTS: Final = CheckAdviceTexts(
    causes={key: cause for key, (cause, _) in _SAID.items()},
    actions={key: action for key, (_, action) in _SAID.items()},
)
