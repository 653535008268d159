{{/* What all pods have in common. */}}

{{/* Head of a pod's spec: Pod Security `restricted`, no token. Takes a dict: root, uid, token (true: the API of the cluster may be used), seccompProfile (default RuntimeDefault) */}}
{{- define "pilothouse.pod" -}}
automountServiceAccountToken: {{ .token | default false }}
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  {{- if eq .root.Values.podUser "image" }}
  runAsUser: {{ .uid }}
  runAsGroup: {{ .uid }}
  fsGroup: {{ .uid }}
  fsGroupChangePolicy: OnRootMismatch
  {{- end }}
  seccompProfile: {{ toJson (.seccompProfile | default (dict "type" "RuntimeDefault")) }}
{{- end -}}

{{/* Of a container */}}
{{- define "pilothouse.container" -}}
imagePullPolicy: {{ .Values.image.pullPolicy }}
terminationMessagePolicy: FallbackToLogsOnError
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* Where a pod may run. Takes values with nodeSelector, tolerations, affinity, priorityClassName, runtimeClassName: those that are there */}}
{{- define "pilothouse.placement" -}}
{{- range $key := list "nodeSelector" "tolerations" "affinity" "priorityClassName" "runtimeClassName" }}
{{- with get $ $key }}
{{ $key }}: {{ toJson . }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
The same values with two more tolerations, for a pod that is at home on any node: it leaves one that does not answer after nodeLossTolerationSeconds, where
Kubernetes would give it five minutes. What the values themselves say of such nodes stands. Takes a list: root, values
*/}}
{{- define "pilothouse.movable" -}}
{{- $values := index . 1 }}
{{- $own := get $values "tolerations" | default list }}
{{- $all := $own }}
{{- with (index . 0).Values.nodeLossTolerationSeconds }}
{{- $seconds := . }}
{{- range $taint := list "node.kubernetes.io/not-ready" "node.kubernetes.io/unreachable" }}
{{- $said := false }}
{{- range $own }}
{{- if and (has (.key | default "") (list "" $taint)) (has (.effect | default "") (list "" "NoExecute")) }}{{ $said = true }}{{ end }}
{{- end }}
{{- if not $said }}
{{- $all = append $all (dict "key" $taint "operator" "Exists" "effect" "NoExecute" "tolerationSeconds" $seconds) }}
{{- end }}
{{- end }}
{{- end }}
{{- merge (dict "tolerations" $all) $values | toJson }}
{{- end -}}

{{/*
Annotations of a pod whose only local volume is an empty /tmp. Without this one the cluster autoscaler would keep its node for the sake of that
volume. It still heeds disruption budgets. Takes further annotations
*/}}
{{- define "pilothouse.evictable" -}}
{{ mergeOverwrite (dict "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes" "tmp") . | toJson }}
{{- end -}}

{{/* Spread with a selector of the chart where none is given. Takes a list: constraints, labels as YAML */}}
{{- define "pilothouse.spread" -}}
{{- $labels := fromYaml (index . 1) }}
{{- with index . 0 }}
topologySpreadConstraints:
  {{- range . }}
  - {{ merge (deepCopy .) (dict "labelSelector" (dict "matchLabels" $labels)) | toJson }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Environment: what the chart sets, unless the values set it otherwise. Takes a list: the chart's as YAML, extraEnv */}}
{{- define "pilothouse.env" -}}
{{- $extra := index . 1 }}
{{- $named := list }}
{{- range $extra }}{{ $named = append $named .name }}{{ end }}
{{- range fromYamlArray (index . 0) }}
{{- if not (has .name $named) }}
- {{ toJson . }}
{{- end }}
{{- end }}
{{- range $extra }}
- {{ toJson . }}
{{- end }}
{{- end -}}

{{/* A variable from a Secret. Takes a list: variable, Secret, key */}}
{{- define "pilothouse.secretEnv" -}}
- name: {{ index . 0 }}
  valueFrom: { secretKeyRef: { name: {{ index . 1 }}, key: {{ index . 2 }} } }
{{- end -}}

{{/* The variables api, controller and migrations share. */}}
{{- define "pilothouse.storeEnv" -}}
{{ include "pilothouse.secretEnv" (list "DATABASE_URL" (include "pilothouse.databaseSecret" .) (ternary .Values.database.secretKey "url" (ne .Values.database.existingSecret ""))) }}
- { name: LOG_LEVEL, value: {{ .Values.logLevel }} }
{{- if .Values.tls.existingSecret }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/pilothouse/tls/ca.crt }
{{- end }}
{{- end -}}

{{/*
The fleets, with their tokens. Kubernetes puts the tokens in place of $(...), so they stand in one Secret only, and nowhere in what
this chart renders; the list shows in the Deployment, and a change of it rolls the pods.
*/}}
{{- define "pilothouse.fleetEnv" -}}
{{- $root := . }}
{{- $fleets := list }}
{{- range $name, $own := .Values.fleets }}
{{- if kindIs "map" $own }}
{{- $fleet := include "pilothouse.fleet" (list $root $own) | fromJson }}
{{- $variable := include "pilothouse.tokenVariable" $name }}
{{ include "pilothouse.secretEnv" (list $variable (include "pilothouse.keys" $root) (printf "fleet-%s" $name)) }}
{{- $config := pick $fleet "surface" "cooldownSeconds" "projects" }}
{{- $limits := dict "slots" $fleet.slotsPerWorker "minWorkers" $fleet.minWorkers "maxWorkers" $fleet.maxWorkers "idleSlots" $fleet.idleSlots "limitsManagedBy" "configuration" }}
{{- $fleets = append $fleets (merge (dict "name" $name "token" (printf "$(%s)" $variable)) $limits $config) }}
{{- end }}
{{- end }}
- { name: PILOTHOUSE_FLEETS, value: {{ toJson $fleets | toJson }} }
{{- end -}}

{{/* Certificates of stores, as a mount and as a volume */}}
{{- define "pilothouse.tlsMount" -}}
{{- if .Values.tls.existingSecret }}
- { name: tls, mountPath: /etc/pilothouse/tls, readOnly: true }
{{- end }}
{{- end -}}
{{- define "pilothouse.tlsVolume" -}}
{{- if .Values.tls.existingSecret }}
- name: tls
  secret: { secretName: {{ .Values.tls.existingSecret }}, defaultMode: 0440 }
{{- end }}
{{- end -}}
