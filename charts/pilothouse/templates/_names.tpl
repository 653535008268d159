{{/* Names and labels. Every name begins with the release: <release>-api, <release>-postgresql, ... */}}

{{- define "pilothouse.name" -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- end -}}

{{/* Selector labels of a component. Takes a list: root, component */}}
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

{{/* Image reference. Takes a list: root, image { repository, tag, digest } */}}
{{- define "pilothouse.image" -}}
{{- $image := index . 1 -}}
{{ $image.repository }}:{{ $image.tag | default (index . 0).Chart.AppVersion }}{{ with $image.digest }}@{{ . }}{{ end }}
{{- end -}}

{{/* Host and port of the API inside the cluster. */}}
{{- define "pilothouse.apiHost" -}}
{{ include "pilothouse.name" . }}-api:{{ .Values.api.service.port }}
{{- end -}}

{{/* URL by which clients reach the API. */}}
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

{{/* Component by path prefix, for Ingress and HTTPRoute. The longest prefix wins, in any order. */}}
{{- define "pilothouse.paths" -}}
{{- if .Values.console.enabled }}
/: console
/v1: api
/docs: api
/openapi.json: api
/schemas: api
/healthz: api
/readyz: api
/mcp: api
/.well-known/oauth-protected-resource: api
{{- else }}
/: api
{{- end }}
{{- end -}}

{{/* Names of Secrets: the existing one, or the generated one. */}}
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

{{/* A fleet merged with fleetDefaults, as JSON. Takes a list: root, fleet */}}
{{- define "pilothouse.fleet" -}}
{{ mergeOverwrite (deepCopy (index . 0).Values.fleetDefaults) (deepCopy (index . 1 | default dict)) | toJson }}
{{- end -}}

{{/* Environment variable with the token of a fleet. */}}
{{- define "pilothouse.tokenVariable" -}}
PILOTHOUSE_TOKEN_{{ . | upper | replace "-" "_" }}
{{- end -}}

{{/* Annotation of objects that `helm uninstall` keeps. */}}
{{- define "pilothouse.keep" -}}
{{- if .Values.keepDataOnUninstall -}}
annotations: { helm.sh/resource-policy: keep }
{{- end -}}
{{- end -}}
