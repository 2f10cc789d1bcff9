{{/* Names and labels that several objects share. */}}

{{- define "gpuatlas.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/*
A release that is called like the chart is not named twice. 50: suffixes follow, 63 is the end. A Service's
name has no dots and begins with a letter; a release's may do otherwise.
*/}}
{{- define "gpuatlas.fullname" -}}
{{- $name := include "gpuatlas.name" . -}}
{{- $made := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- $whole := .Values.fullnameOverride | default $made | replace "." "-" -}}
{{- if regexMatch "^[0-9]" $whole }}{{ $whole = printf "gpuatlas-%s" $whole }}{{ end -}}
{{- regexReplaceAll "-+$" (trunc 50 $whole) "" -}}
{{- end -}}

{{- define "gpuatlas.selectorLabels" -}}
app.kubernetes.io/name: {{ include "gpuatlas.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{/* Labels of an object. In: root, and more, a map of its own. Those that select pods cannot be changed. */}}
{{- define "gpuatlas.labels" -}}
{{- $chart := printf "%s-%s" .root.Chart.Name .root.Chart.Version -}}
{{- $labels := include "gpuatlas.selectorLabels" .root | fromYaml -}}
{{- $_ := set $labels "helm.sh/chart" (include "gpuatlas.labelValue" $chart) -}}
{{- $_ := set $labels "app.kubernetes.io/version" (include "gpuatlas.labelValue" .root.Chart.AppVersion) -}}
{{- $_ := set $labels "app.kubernetes.io/managed-by" .root.Release.Service -}}
{{- merge $labels (.more | default dict) (.root.Values.commonLabels | default dict) | toYaml -}}
{{- end -}}

{{/* A version as a label can have it: of builds in between it is long and has a +. */}}
{{- define "gpuatlas.labelValue" -}}
{{- regexReplaceAll "[-_.]+$" (. | replace "+" "_" | trunc 63) "" -}}
{{- end -}}

{{- define "gpuatlas.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (include "gpuatlas.fullname" .) -}}
{{- end -}}

{{- define "gpuatlas.image" -}}
{{- with .Values.image -}}
{{- with .registry }}{{ . }}/{{ end }}{{ .repository }}:{{ .tag | default ($.Chart.AppVersion | replace "+" "_") }}
{{- with .digest }}@{{ . }}{{ end }}
{{- end -}}
{{- end -}}

{{/* "ServiceMonitor", "annotations" or "none". */}}
{{- define "gpuatlas.scrapedBy" -}}
{{- $known := .Capabilities.APIVersions.Has "monitoring.coreos.com/v1/ServiceMonitor" -}}
{{- eq .Values.scrape.by "auto" | ternary (ternary "ServiceMonitor" "annotations" $known) .Values.scrape.by -}}
{{- end -}}

{{/* "PrometheusRule", "ConfigMap" or "none". */}}
{{- define "gpuatlas.rulesAs" -}}
{{- $known := .Capabilities.APIVersions.Has "monitoring.coreos.com/v1/PrometheusRule" -}}
{{- eq .Values.rules.as "auto" | ternary (ternary "PrometheusRule" "ConfigMap" $known) .Values.rules.as -}}
{{- end -}}

{{/* The name of a shard's Deployment. In: root, shard. */}}
{{- define "gpuatlas.shardName" -}}
{{- $name := include "gpuatlas.fullname" .root -}}
{{- eq (int .root.Values.shards) 1 | ternary $name (printf "%s-%d" $name .shard) -}}
{{- end -}}
