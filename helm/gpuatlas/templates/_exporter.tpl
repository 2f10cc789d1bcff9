{{/* What the exporter's pods and the pod of `helm test` are made of. */}}

{{/* The options of `gpuatlas serve` for one shard. In: root, shard. */}}
{{- define "gpuatlas.serveArguments" -}}
{{- $values := .root.Values -}}
- serve
- --scrape-interval={{ $values.scrapeIntervalSeconds }}
- --scrape-timeout={{ $values.scrapeTimeoutSeconds }}
- --{{ $values.serviceSignals | ternary "" "no-" }}service-signals
- --{{ $values.probeWebhook | ternary "" "no-" }}probe-webhook
{{- if gt (int $values.shards) 1 }}
- --shard={{ .shard }}/{{ $values.shards }}
{{- end }}
{{- range $values.exporterNamespaces }}
- {{ printf "--exporter-namespace=%s" . | quote }}
{{- end }}
{{- range $values.excludedNamespaces }}
- {{ printf "--exclude-namespace=%s" . | quote }}
{{- end }}
{{- range $values.licences }}
- {{ printf "--licence=%s" . | quote }}
{{- end }}
{{- if $values.prometheus.url }}
{{ include "gpuatlas.prometheusArguments" .root }}
- --sizing-interval={{ $values.sizingIntervalSeconds }}
{{- end }}
- --log-level={{ $values.log.level }}
- --log-format={{ $values.log.format }}
{{- if $values.web.secret }}
- --web.config.file=/etc/gpuatlas/web/web-config.yml
{{- end }}
{{- range $values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{/* The options that lead to the Prometheus, as every command has them. */}}
{{- define "gpuatlas.prometheusArguments" -}}
{{- with .Values.prometheus -}}
- {{ printf "--prometheus-url=%s" .url | quote }}
- --pages-from={{ .pages | ternary "prometheus" "exporters" }}
{{- if .bearerToken.serviceAccount }}
- --prometheus-bearer-token-file=/var/run/secrets/kubernetes.io/serviceaccount/token
{{- else if .bearerToken.secret }}
- {{ printf "--prometheus-bearer-token-file=/etc/gpuatlas/prometheus-token/%s" .bearerToken.key | quote }}
{{- else if .basicAuth.secret }}
- {{ printf "--prometheus-username-file=/etc/gpuatlas/prometheus-user/%s" .basicAuth.usernameKey | quote }}
- {{ printf "--prometheus-password-file=/etc/gpuatlas/prometheus-user/%s" .basicAuth.passwordKey | quote }}
{{- end }}
{{- if .ca.configMap }}
- {{ printf "--prometheus-ca-file=/etc/gpuatlas/prometheus-ca/%s" .ca.key | quote }}
{{- end }}
{{- if .insecureSkipVerify }}
- --prometheus-insecure-skip-verify
{{- end }}
{{- range $name, $value := .headers }}
- {{ printf "--prometheus-header=%s=%s" $name $value | quote }}
{{- end }}
{{- range $name, $value := .matchers }}
- {{ printf "--prometheus-matcher=%s=%s" $name $value | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Image, environment, resources, security and what is mounted. */}}
{{- define "gpuatlas.container" -}}
image: {{ include "gpuatlas.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- with .Values.extraEnv }}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.securityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumeMounts:
  # The only place that it writes to: keys that stand as text in web-config.yml pass through it.
  - name: tmp
    mountPath: /tmp
  {{- if .Values.web.secret }}
  - name: web
    mountPath: /etc/gpuatlas/web
    readOnly: true
  {{- end }}
  {{- if .Values.prometheus.bearerToken.secret }}
  - name: prometheus-token
    mountPath: /etc/gpuatlas/prometheus-token
    readOnly: true
  {{- end }}
  {{- if .Values.prometheus.basicAuth.secret }}
  - name: prometheus-user
    mountPath: /etc/gpuatlas/prometheus-user
    readOnly: true
  {{- end }}
  {{- if .Values.prometheus.ca.configMap }}
  - name: prometheus-ca
    mountPath: /etc/gpuatlas/prometheus-ca
    readOnly: true
  {{- end }}
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* The rest of the pod. */}}
{{- define "gpuatlas.pod" -}}
serviceAccountName: {{ include "gpuatlas.serviceAccountName" . | quote }}
automountServiceAccountToken: true
# A Service named like us would set variables that begin as our options' do.
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.podSecurityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir:
      medium: Memory
      sizeLimit: 16Mi
  {{- with .Values.web.secret }}
  - name: web
    secret:
      secretName: {{ . | quote }}
  {{- end }}
  {{- with .Values.prometheus.bearerToken.secret }}
  - name: prometheus-token
    secret:
      secretName: {{ . | quote }}
  {{- end }}
  {{- with .Values.prometheus.basicAuth.secret }}
  - name: prometheus-user
    secret:
      secretName: {{ . | quote }}
  {{- end }}
  {{- with .Values.prometheus.ca.configMap }}
  - name: prometheus-ca
    configMap:
      name: {{ . | quote }}
  {{- end }}
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
