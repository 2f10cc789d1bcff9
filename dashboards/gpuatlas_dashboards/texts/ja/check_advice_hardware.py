"""Japanese causes and first steps of the hardware checks, from the English of `alerts/`.

Names that NVIDIA gives its XIDs stay as they are.
"""

from __future__ import annotations

import re
from typing import Final

from gpuatlas_dashboards.check_catalogue import BY_XID, Advice, said
from gpuatlas_dashboards.texts.shapes.check_catalogue import CheckAdviceTexts

# Key → cause, first step.
_SAID: Final[dict[str, tuple[str, str]]] = {
    "H02": (
        "アプリケーションが何度もドライバーに処理を止めさせている。アプリケーションの不具合か、どのアプリケーションでも失敗するカード。",
        "アプリケーションを再起動してログを調べる（XID 13 と 31 は compute-sanitizer）。このカードだけで別々の Pod に起きるなら、カードを空にして dcgmi diag を実行する。",
    ),
    "H03": (
        "カードのメモリーセルが ECC で訂正できない壊れ方をした。",
        "ノードを drain して GPU をリセットする（行の再配置が適用される）。再発する、または修復できないなら、フィールド診断のうえカードを交換する。",
    ),
    "H04": (
        "カードは壊れかけたメモリーの行やページを予備に置き換える。その置き換えが待機中か失敗したか、予備が尽きかけている。",
        "待機中：次の保守時に GPU をリセットする（Ampere より前はノードを再起動）。失敗または予備なし：ノードを drain し、フィールド診断のうえカードを交換する。",
    ),
    "H05": (
        "コアがカード自身のクロック低下温度に近い。風量、吸気温度、ファン、または熱を出す隣のカード。",
        "風量・ファン・吸気を調べ、ラック内の隣と比べ、電力上限を下げる。それだけではカード交換の理由にならない。",
    ),
    "H06": (
        "HBM がクロック低下の始まる温度に近い。コアが熱く見えるより先に起きることが多い。",
        "H05 と同じ：風量・ファン・吸気を調べ、隣と比べ、電力上限を下げる。",
    ),
    "H07": (
        "コアまたはメモリーが熱すぎるため、カードが本来のクロックより遅く動いている。",
        "冷却を調べる。多数のうち 1 枚だけなら、挿し直しまたはグリスの塗り直しを頼む。損失は 1 - DCGM_FI_DEV_SM_CLOCK / その最大値。",
    ),
    "H08": (
        "パワーブレーキやハードウェアによる減速、上限を超える消費、あり得ない測定値、または誰かが設定した上限。",
        "パワーブレーキ：電源、ケーブル、ラックの電力枠を調べる。異常な測定値：GPU をリセットする。上限：誰が設定したか確かめる（nvidia-smi -pl）。",
    ),
    "H09": (
        "カードとホストの間の信号が悪い：ライザー、スロット、リタイマー、またはファームウェア。",
        "ライザー、スロット、リタイマー、ファームウェアを調べ、転送帯域を隣のカードと比べ、カードを移す。",
    ),
    "H10": (
        "レーンが失われたか、リンクが低い世代で確立した：挿し込み、スロット、ライザー、または BIOS。",
        "カードを挿し直すか別のスロットを使い、BIOS とファームウェアを調べる。転送が重要な場合だけ drain する。",
    ),
    "H11": (
        "カード間のリンク、スイッチ、または Fabric Manager に障害がある。複数カードにまたがる処理が遅くなるか止まる。",
        "ノードを drain し、ファブリックの全 GPU をリセットし、Fabric Manager を再起動する。再発するならフィールド診断。",
    ),
    "H12": (
        "ドライバーがリセットを求めている、カードがバスから外れた、または新しい値が届かない。",
        "ノードを drain し、示された復旧操作を行う。なければノードの電源を入れ直し、カードを挿し直し、ベンダーに連絡する。",
    ),
}

# First steps of XIDs, by the English of alerts/xid.yaml.
_XID_STEPS: Final = {
    "check the confidential-computing application and the GPU": "機密コンピューティングのアプリケーションと GPU を調べる",
    "check the confidential-computing setup of the links": "リンクの機密コンピューティング設定を調べる",
    "check the power cable of the card and the board": "カードの電源ケーブルと基板を調べる",
    "comes with XID 48; drain the node, reset the GPU": "XID 48 に伴う。ノードを drain し、GPU をリセットする",
    "comes with XID 48; see H04 for the row remap": "XID 48 に伴う。行の再配置は H04 を見る",
    "drain and reboot the node": "ノードを drain して再起動する",
    "drain and reboot the node; inspect the hardware if it repeats": "ノードを drain して再起動する。再発するならハードウェアを点検する",
    "drain the node, power cycle it; reseat the card; replace it if it repeats": "ノードを drain して電源を入れ直し、カードを挿し直す。再発するなら交換する",
    "drain the node, reset the GPU": "ノードを drain し、GPU をリセットする",
    "drain the node, reset the GPU; check H04 for a replacement": "ノードを drain し、GPU をリセットする。交換の要否は H04 を見る",
    "drain the node, reset the GPU; check the link signal": "ノードを drain し、GPU をリセットする。リンクの信号を調べる",
    "drain the node, reset the GPU; field diagnostic if it repeats": "ノードを drain し、GPU をリセットする。再発するならフィールド診断",
    "drain the node, reset the GPUs of the fabric; field diagnostic if it repeats": "ノードを drain し、ファブリックの GPU をリセットする。再発するならフィールド診断",
    "if the kernel line says Fatal: drain, reset the GPUs of the fabric, field diagnostic if it repeats; Nonfatal: watch": "カーネルログが Fatal なら drain してファブリックの GPU をリセットし、再発するならフィールド診断。Nonfatal なら様子を見る",
    "plan a reboot of the node": "ノードの再起動を計画する",
    "reset the GPU, compare its memory size afterwards": "GPU をリセットし、その後メモリー量を比べる",
    "restart the application; reset the GPU at the next window": "アプリケーションを再起動し、次の保守時に GPU をリセットする",
    "restart the virtual machine": "仮想マシンを再起動する",
    "update the vGPU software": "vGPU ソフトウェアを更新する",
}
_XID: Final = re.compile(r"NVIDIA's action: (?P<word>.*?)\. First step: (?P<step>.*)\.")


def _xid(advice: Advice) -> tuple[str, str]:
    number, _, meaning = advice.cause.removesuffix(".").partition(": ")
    found = _XID.fullmatch(advice.action)
    if found is None:
        message = f"the action of {number} has another form: {advice.action}"
        raise ValueError(message)
    word = found["word"].replace("none published", "公表なし")
    step = _XID_STEPS[found["step"]]
    return f"{number}：{meaning}（NVIDIA の名称）", f"NVIDIA の指示：{word}。まず：{step}。"


_XIDS: Final = {
    key: _xid(advice) for key, advice in said("hardware").items() if key.startswith(f"{BY_XID}|")
}

TEXTS: Final = CheckAdviceTexts(
    causes={key: cause for key, (cause, _) in (_XIDS | _SAID).items()},
    actions={key: action for key, (_, action) in (_XIDS | _SAID).items()},
)
