{{/*
The rules as the values want them. They are read as data and never as templates: braces in them are
Prometheus' own. Alerts of a check that is off go; of the recorded series about checks its own go, so
that it is not called ok. All other recordings stay: boards and other checks read them.
*/}}

{{/* The groups of one file, as YAML. In: root, file. */}}
{{- define "gpuatlas.groups" -}}
{{- $root := .root -}}
{{- $off := list -}}
{{- range $check, $on := $root.Values.rules.checks }}{{ if not $on }}{{ $off = append $off $check }}{{ end }}{{ end -}}
{{- $groups := list -}}
{{- range $group := ($root.Files.Get .file | fromYaml).groups -}}
{{- $rules := list -}}
{{- range $rule := $group.rules -}}
{{- if not (has (get ($rule.labels | default dict) "check") $off) -}}
{{- if $rule.alert -}}
{{- include "gpuatlas.adaptAlert" (dict "root" $root "rule" $rule) -}}
{{- else if $off -}}
{{- include "gpuatlas.leaveOut" (dict "checks" $off "rule" $rule) -}}
{{- end -}}
{{- $rules = append $rules $rule -}}
{{- end -}}
{{- end -}}
{{- if $rules }}{{ $groups = append $groups (set $group "rules" $rules) }}{{ end -}}
{{- end -}}
{{- toYaml (dict "groups" $groups) -}}
{{- end -}}

{{/* Labels, link and thresholds of an alert. In: root, and rule, which is changed. */}}
{{- define "gpuatlas.adaptAlert" -}}
{{- $values := .root.Values -}}
{{- $rule := .rule -}}
{{- $_ := set $rule "labels" (merge $rule.labels ($values.rules.alertLabels | default dict)) -}}
{{- $address := printf "%s%s" $values.documentsUrl $rule.annotations.runbook_url -}}
{{- $_ := set $rule.annotations "runbook_url" $address -}}
{{- range include "gpuatlas.thresholds" . | fromYamlArray -}}
{{- $signal := get $rule.labels "signal" -}}
{{- if and (eq .check $rule.labels.check) (has $rule.labels.severity .severities) (has $signal (.signals | default (list $signal))) -}}
{{- $value := get $values.rules.thresholds .value -}}
{{- $was := printf .limit (mulf .default .factor) -}}
{{- $said := printf .said .default -}}
{{- if not (and (contains $was $rule.expr) (contains $said $rule.annotations.description)) -}}
{{- printf "rules.thresholds.%s: %s has neither %q nor %q any more" .value .check $was $said | fail -}}
{{- end -}}
{{- $_ := set $rule "expr" (replace $was (printf .limit (mulf $value .factor)) $rule.expr) -}}
{{- $_ := set $rule.annotations "description" (replace $said (printf .said $value) $rule.annotations.description) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Where the thresholds stand: `limit` in the expression, in its own unit (value times factor), `said` in
the description, each with what the repository's rule says as the default.
*/}}
{{- define "gpuatlas.thresholds" -}}
- {value: heldIdlePercent, check: card-held-idle, severities: [info], default: 1, factor: 0.01, limit: "< %v", said: "the limit is %v%%"}
- {value: overcommitMemoryPercent, check: overcommit-memory, severities: [warning], default: 95, factor: 0.01, limit: ">= %v", said: "the limit is %v%%"}
- {value: slowedPercent, check: slowed-by-neighbour, severities: [info, warning], default: 50, factor: 0.01, limit: "> %v", said: "the limit is %v%%"}
- {value: gangWaitingMinutes, check: gang-waiting, severities: [warning], default: 30, factor: 60, limit: "> %v", said: "the limit is %vm"}
- {value: waitingBesideFreeCardsMinutes, check: waiting-beside-free-cards, severities: [info], default: 30, factor: 60, limit: "> %v", said: "the limit is %vm"}
- {value: certificateDays, check: S08, severities: [warning], signals: [ends, ca-ends], default: 21, factor: 1, limit: "< %v * 86400", said: "the limit is %v days"}
- {value: licenceDays, check: S17, severities: [warning], signals: [ends], default: 30, factor: 1, limit: "< %v * 86400", said: "the limit is %vd"}
{{- end -}}

{{/* Takes checks out of the recordings about all checks. In: checks, and rule, which is changed. */}}
{{- define "gpuatlas.leaveOut" -}}
{{- if regexMatch "^check:|^node:gpuatlas_(hardware_)?check" .rule.record -}}
{{- $gone := list -}}
{{- range .checks }}{{ $gone = append $gone (printf "label_replace(vector(0), \"check\", %q, \"\", \"\")" .) }}{{ end -}}
{{- $kept := printf "(\n%s\n)\nunless on (check) (\n  %s\n)\n" (trim .rule.expr) (join "\n  or " $gone) -}}
{{- $_ := set .rule "expr" $kept -}}
{{- end -}}
{{- end -}}
