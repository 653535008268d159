{{/* Redis and object store, for API and job runner. */}}
{{- define "pilothouse.redisAndObjectsEnv" -}}
{{- $name := include "pilothouse.name" . }}
{{- $objects := .Values.objectStore }}
{{- $bundled := not $objects.existingSecret }}
{{ include "pilothouse.secretEnv" (list "REDIS_URL" (include "pilothouse.redisSecret" .) (ternary .Values.redis.secretKey "url" (ne .Values.redis.existingSecret ""))) }}
- { name: S3_ENDPOINT, value: {{ ternary (printf "http://%s-objects:9000" $name) $objects.endpoint $bundled | quote }} }
- { name: S3_BUCKET, value: {{ $objects.bucket | quote }} }
- { name: S3_REGION, value: {{ $objects.region | quote }} }
{{ include "pilothouse.secretEnv" (list "S3_ACCESS_KEY" (include "pilothouse.objectsSecret" .) (ternary "access-key" $objects.accessKeyKey $bundled)) }}
{{ include "pilothouse.secretEnv" (list "S3_SECRET_KEY" (include "pilothouse.objectsSecret" .) (ternary "secret-key" $objects.secretKeyKey $bundled)) }}
{{- end -}}

{{/* Models and their keys, for API and job runner. */}}
{{- define "pilothouse.modelsEnv" -}}
{{- with .Values.models }}
{{- $models := . }}
{{- with .default }}
- { name: PILOTHOUSE_MODEL, value: {{ . | quote }} }
{{- end }}
{{- with .endpoints }}
- { name: PILOTHOUSE_MODEL_ENDPOINTS, value: {{ toJson . | quote }} }
{{- end }}
{{- with .overrides }}
- { name: PILOTHOUSE_MODEL_OVERRIDES, value: {{ toJson . | quote }} }
{{- end }}
{{- with .callsPerMinute }}
- { name: PILOTHOUSE_MODEL_CALLS_PER_MINUTE, value: {{ . | int64 | quote }} }
{{- end }}
{{- if .streaming }}
- { name: PILOTHOUSE_MODEL_STREAMING, value: 'true' }
{{- end }}
{{- if .vertex.project }}
- { name: GEMINI_VERTEX_PROJECT, value: {{ .vertex.project | quote }} }
- { name: GEMINI_VERTEX_LOCATION, value: {{ .vertex.location | quote }} }
{{- if .vertex.keyFromSecret }}
- { name: GEMINI_VERTEX_KEY_FILE, value: /etc/pilothouse/vertex/key.json }
{{- end }}
{{- end }}
{{- range $provider := concat (list "gemini" "openai" "anthropic") (keys .endpoints | sortAlpha) }}
{{- with $models.existingSecret }}
- name: {{ upper $provider | replace "-" "_" }}_API_KEY
  valueFrom: { secretKeyRef: { name: {{ . }}, key: {{ $provider }}, optional: true } }
{{- end }}
{{- with get $models.baseUrls $provider }}
- { name: {{ upper $provider }}_BASE_URL, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Destinations of exports without their keys, for API and job runner. */}}
{{- define "pilothouse.destinationsEnv" -}}
{{- $destinations := dict }}
{{- range $name, $one := .Values.jobs.destinations }}{{ $_ := set $destinations $name (omit $one "existingSecret") }}{{ end }}
{{- if $destinations }}
- { name: PILOTHOUSE_EXPORT_DESTINATIONS, value: {{ toJson $destinations | quote }} }
{{- end }}
{{- end -}}

{{/* Environment of the job runner. */}}
{{- define "pilothouse.jobsEnv" -}}
{{ include "pilothouse.storeEnv" . }}
{{ include "pilothouse.redisAndObjectsEnv" . }}
{{ include "pilothouse.modelsEnv" . }}
{{ include "pilothouse.destinationsEnv" . }}
{{- range $name, $one := .Values.jobs.destinations }}
{{- with $one.existingSecret }}
{{- $prefix := printf "DESTINATION_%s" (upper $name | replace "-" "_") }}
{{ include "pilothouse.secretEnv" (list (printf "%s_ACCESS_KEY" $prefix) . "access-key") }}
{{ include "pilothouse.secretEnv" (list (printf "%s_SECRET_KEY" $prefix) . "secret-key") }}
{{- end }}
{{- end }}
- { name: PILOTHOUSE_JOBS_PORT, value: '9090' }
- { name: PILOTHOUSE_JOBS_HOST, value: 0.0.0.0 }
- { name: PILOTHOUSE_JOBS_CONCURRENCY, value: {{ .Values.jobs.concurrency | int64 | quote }} }
{{- if .Values.jobs.trainers }}
- { name: PILOTHOUSE_TRAINERS_FILE, value: /etc/pilothouse/trainers/trainers.json }
- { name: PILOTHOUSE_NAMESPACE, value: {{ .Release.Namespace }} }
{{- end }}
{{- end -}}

{{/* Environment of the API. */}}
{{- define "pilothouse.apiEnv" -}}
{{- $objects := .Values.objectStore }}
{{ include "pilothouse.storeEnv" . }}
{{ include "pilothouse.redisAndObjectsEnv" . }}
{{- with $objects.workerEndpoint }}
- { name: PILOTHOUSE_OBJECT_STORE_WORKER_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- with $objects.publicEndpoint }}
- { name: PILOTHOUSE_OBJECT_STORE_PUBLIC_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{ include "pilothouse.secretEnv" (list "PILOTHOUSE_MASTER_KEY" (include "pilothouse.keys" .) "master-key") }}
{{ include "pilothouse.secretEnv" (list "PILOTHOUSE_BOOTSTRAP_ADMIN_KEY" (include "pilothouse.keys" .) "admin-key") }}
{{ include "pilothouse.modelsEnv" . }}
{{ include "pilothouse.destinationsEnv" . }}
{{- with .Values.jobs.tuningSources }}
- { name: PILOTHOUSE_TUNING_SOURCES, value: {{ join "," . | quote }} }
{{- end }}
{{- with .Values.models }}
{{- if .screenParser.url }}
- { name: PILOTHOUSE_SCREEN_PARSER_URL, value: {{ .screenParser.url | quote }} }
- { name: PILOTHOUSE_SCREEN_PARSER_TIMEOUT_MS, value: {{ .screenParser.timeoutMs | int64 | quote }} }
- { name: PILOTHOUSE_SCREEN_PARSER_TTL_SECONDS, value: {{ .screenParser.ttlSeconds | int64 | quote }} }
{{- end }}
{{- end }}
{{- with .Values.oidc }}
{{- if .issuer }}
- { name: PILOTHOUSE_OIDC_ISSUER, value: {{ .issuer | quote }} }
- { name: PILOTHOUSE_OIDC_CLIENT_ID, value: {{ .clientId | quote }} }
{{ include "pilothouse.secretEnv" (list "PILOTHOUSE_OIDC_CLIENT_SECRET" (required "oidc.existingSecret: name a Secret with the key client-secret. It is required with oidc.issuer." .existingSecret) "client-secret") }}
- { name: PILOTHOUSE_OIDC_DISPLAY_NAME, value: {{ .displayName | quote }} }
- { name: PILOTHOUSE_OIDC_SCOPES, value: {{ .scopes | quote }} }
- { name: PILOTHOUSE_OIDC_ALLOWED_EMAIL_DOMAINS, value: {{ join "," .allowedEmailDomains | quote }} }
- { name: PILOTHOUSE_OIDC_ROLE_MAPPINGS, value: {{ toJson .roleMappings | quote }} }
- { name: PILOTHOUSE_OIDC_ASSUME_EMAIL_VERIFIED, value: {{ .assumeEmailVerified | quote }} }
{{- end }}
{{- end }}
{{- if and .Values.console.enabled (or .Values.api.publicUrl .Values.ingress.enabled .Values.httpRoute.enabled) }}
- { name: PILOTHOUSE_CONSOLE_URL, value: {{ include "pilothouse.publicUrl" . | quote }} }
{{- end }}
{{- with .Values.api.corsOrigins }}
- { name: PILOTHOUSE_CORS_ORIGINS, value: {{ join "," . | quote }} }
{{- end }}
- { name: PILOTHOUSE_HOST, value: 0.0.0.0 }
- { name: PILOTHOUSE_PORT, value: '7100' }
- { name: PILOTHOUSE_METRICS_PORT, value: '9090' }
- { name: PILOTHOUSE_PROXY_COUNT, value: {{ include "pilothouse.proxyCount" . | quote }} }
- { name: PILOTHOUSE_PUBLIC_URL, value: {{ include "pilothouse.publicUrl" . | quote }} }
- { name: PILOTHOUSE_WORKER_API_URL, value: http://{{ include "pilothouse.apiHost" . }} }
{{ include "pilothouse.fleetEnv" . }}
{{- end -}}

{{/* Volume mount and volume of the Vertex AI key file; empty unless models.vertex.keyFromSecret is set. */}}
{{- define "pilothouse.vertexMount" -}}
{{- if and .Values.models.vertex.project .Values.models.vertex.keyFromSecret }}
- { name: vertex, mountPath: /etc/pilothouse/vertex, readOnly: true }
{{- end }}
{{- end -}}
{{- define "pilothouse.vertexVolume" -}}
{{- if and .Values.models.vertex.project .Values.models.vertex.keyFromSecret }}
{{- $secret := required "models.existingSecret: name a Secret with the key vertex. It is required with models.vertex.keyFromSecret." .Values.models.existingSecret }}
- name: vertex
  secret: { secretName: {{ $secret }}, defaultMode: 0440, items: [{ key: vertex, path: key.json }] }
{{- end }}
{{- end -}}

{{/* Number of proxies in front of API and console. */}}
{{- define "pilothouse.proxyCount" -}}
{{- $count := .Values.proxies.count }}
{{- if kindIs "invalid" $count }}{{ ternary 1 0 (or .Values.ingress.enabled .Values.httpRoute.enabled) }}{{ else }}{{ int $count }}{{ end }}
{{- end -}}

{{/* Environment of the console. It holds no secret. */}}
{{- define "pilothouse.consoleEnv" -}}
- { name: LOG_LEVEL, value: {{ .Values.logLevel }} }
- { name: PILOTHOUSE_API_URL, value: http://{{ include "pilothouse.apiHost" . }} }
- { name: PILOTHOUSE_CONSOLE_HOST, value: 0.0.0.0 }
- { name: PILOTHOUSE_CONSOLE_PORT, value: '7110' }
- { name: PILOTHOUSE_PROXY_COUNT, value: {{ include "pilothouse.proxyCount" . | quote }} }
{{- with .Values.objectStore.publicEndpoint }}
- { name: PILOTHOUSE_OBJECT_STORE_PUBLIC_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- end -}}

{{/* Environment of the controller. */}}
{{- define "pilothouse.controllerEnv" -}}
{{ include "pilothouse.storeEnv" . }}
- { name: PILOTHOUSE_GATEWAY_URL, value: ws://{{ include "pilothouse.apiHost" . }}/v1/gateway }
- { name: PILOTHOUSE_FLEET_DRIVER, value: kubernetes }
- { name: PILOTHOUSE_FLEET_PORT, value: '9090' }
- { name: PILOTHOUSE_FLEET_HOST, value: 0.0.0.0 }
- { name: PILOTHOUSE_LEADER_LEASE_NAME, value: {{ include "pilothouse.name" . }}-fleet }
- { name: PILOTHOUSE_POD_TEMPLATE_DIR, value: /etc/pilothouse/pods }
- { name: PILOTHOUSE_NAMESPACE, valueFrom: { fieldRef: { fieldPath: metadata.namespace } } }
- { name: PILOTHOUSE_POD_NAME, valueFrom: { fieldRef: { fieldPath: metadata.name } } }
{{- end -}}
