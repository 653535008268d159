{{/* Names and labels. Everything is called after the release: <release>-api, <release>-postgresql, ... */}}

{{- define "pilothouse.name" -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- end -}}

{{/* What selects the pods of one component. Takes a list: root, component */}}
{{- define "pilothouse.selector" -}}
app.kubernetes.io/name: pilothouse
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* Labels of an object. Takes a list: root, component */}}
{{- define "pilothouse.labels" -}}
{{ include "pilothouse.selector" . }}
app.kubernetes.io/part-of: pilothouse
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Reference to an image { repository, tag }. Takes a list: root, image */}}
{{- define "pilothouse.image" -}}
{{ (index . 1).repository }}:{{ (index . 1).tag | default (index . 0).Chart.AppVersion }}
{{- end -}}

{{/* Address of the API for pods of the release. */}}
{{- define "pilothouse.apiHost" -}}
{{ include "pilothouse.name" . }}-api:{{ .Values.api.service.port }}
{{- end -}}

{{/* Where clients reach the API. */}}
{{- define "pilothouse.publicUrl" -}}
{{- if .Values.api.publicUrl -}}
{{ .Values.api.publicUrl }}
{{- else if .Values.ingress.enabled -}}
{{ ternary "https" "http" (ne .Values.ingress.tlsSecret "") }}://{{ .Values.ingress.host }}
{{- else if and .Values.httpRoute.enabled .Values.httpRoute.hostnames -}}
https://{{ first .Values.httpRoute.hostnames }}
{{- else -}}
http://127.0.0.1:7100
{{- end -}}
{{- end -}}

{{/* What answers under which path, where the world comes in. The more particular path wins, in whatever order they stand. */}}
{{- define "pilothouse.paths" -}}
{{- if .Values.console.enabled }}
/: console
/v1: api
/docs: api
/openapi.json: api
/schemas: api
/healthz: api
/readyz: api
{{- else }}
/: api
{{- end }}
{{- end -}}

{{/* Names of Secrets: one's own, or that of the chart. */}}
{{- define "pilothouse.keys" -}}
{{ .Values.secrets.existingSecret | default (printf "%s-keys" (include "pilothouse.name" .)) }}
{{- end -}}
{{- define "pilothouse.databaseSecret" -}}
{{ .Values.database.existingSecret | default (printf "%s-postgresql" (include "pilothouse.name" .)) }}
{{- end -}}
{{- define "pilothouse.redisSecret" -}}
{{ .Values.redis.existingSecret | default (printf "%s-redis" (include "pilothouse.name" .)) }}
{{- end -}}
{{- define "pilothouse.objectsSecret" -}}
{{ .Values.objectStore.existingSecret | default (printf "%s-objects" (include "pilothouse.name" .)) }}
{{- end -}}

{{/* A fleet with all it takes from fleetDefaults, as JSON. Takes a list: root, fleet */}}
{{- define "pilothouse.fleet" -}}
{{ mergeOverwrite (deepCopy (index . 0).Values.fleetDefaults) (deepCopy (index . 1 | default dict)) | toJson }}
{{- end -}}

{{/* The variable that holds the token of a fleet. */}}
{{- define "pilothouse.tokenVariable" -}}
PILOTHOUSE_TOKEN_{{ . | upper | replace "-" "_" }}
{{- end -}}

{{/* An object that outlives the release with its data. */}}
{{- define "pilothouse.keep" -}}
{{- if .Values.keepDataOnUninstall -}}
annotations: { helm.sh/resource-policy: keep }
{{- end -}}
{{- end -}}
