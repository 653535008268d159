{{/*
Generated Secrets. Each is generated once; upgrades reuse the values in the cluster. A lost Secret is never replaced while its data exists: new keys
could not decrypt the data, and a store would refuse the new password.
*/}}

{{/* Data of a Secret in the cluster, as JSON; {} without the Secret or without a cluster. Takes a list: root, name */}}
{{- define "pilothouse.secretInCluster" -}}
{{ (lookup "v1" "Secret" (index . 0).Release.Namespace (index . 1)).data | default dict | toJson }}
{{- end -}}

{{/* Name of the volume claim of a bundled store; empty if it does not exist or is being deleted. Takes a list: root, component */}}
{{- define "pilothouse.claim" -}}
{{- $claim := printf "data-%s-%s-0" (include "pilothouse.name" (index . 0)) (index . 1) }}
{{- $found := lookup "v1" "PersistentVolumeClaim" (index . 0).Release.Namespace $claim }}
{{- if and $found (not (dig "metadata" "deletionTimestamp" "" $found)) }}{{ $claim }}{{ end }}
{{- end -}}

{{/* Fails when the Secret of a bundled store is lost but its volume claim exists. Takes a list: root, component, data in the cluster, required key */}}
{{- define "pilothouse.refuseLostStoreSecret" -}}
{{- $root := index . 0 }}
{{- $claim := include "pilothouse.claim" (list $root (index . 1)) }}
{{- if and $claim (not (index (index . 2) (index . 3))) }}
{{- $secret := printf "%s-%s" (include "pilothouse.name" $root) (index . 1) }}
{{- fail (printf "Secret %s/%s is missing or has no key %s, but the volume of its store exists (claim %s). Restore the Secret from a backup. To discard the data, delete the claim." $root.Release.Namespace $secret (index . 3) $claim) }}
{{- end }}
{{- end -}}

{{/* Fails when the keys are lost but the database exists. Takes a list: root, data in the cluster */}}
{{- define "pilothouse.refuseLostKeys" -}}
{{- $root := index . 0 }}
{{- if not (index (index . 1) "master-key") }}
{{- $secret := printf "%s-keys" (include "pilothouse.name" $root) }}
{{- $missing := printf "Secret %s/%s is missing or has no key master-key" $root.Release.Namespace $secret }}
{{- if $root.Values.database.existingSecret }}
{{- if $root.Release.IsUpgrade }}{{ fail (printf "%s, but the installation exists. New keys cannot decrypt its data. Restore the Secret from a backup, or set secrets.existingSecret. (With --dry-run=client Helm reads no Secrets; use --dry-run=server.)" $missing) }}{{ end }}
{{- else }}
{{- with include "pilothouse.claim" (list $root "postgresql") }}{{ fail (printf "%s, but the database exists (claim %s). New keys cannot decrypt its data. Restore the Secret from a backup, or set secrets.existingSecret. To discard the data, delete the claim." $missing .) }}{{ end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Sets .Values.madeSecrets: data of the generated Secrets by component, in base64. Computed once for all templates, because each call of a random function returns another value. */}}
{{- define "pilothouse.makeSecrets" -}}
{{- if not (hasKey .Values "madeSecrets") }}
{{- $name := include "pilothouse.name" . }}
{{- $made := dict }}
{{- if not .Values.secrets.existingSecret }}
{{- $old := include "pilothouse.secretInCluster" (list . (printf "%s-keys" $name)) | fromJson }}
{{- include "pilothouse.refuseLostKeys" (list . $old) }}
{{- $data := dict "master-key" (index $old "master-key" | default (randBytes 32 | b64enc)) "admin-key" (index $old "admin-key" | default (printf "ph_%s" (randAlphaNum 43) | b64enc)) }}
{{- $_ := set $data "slot-key" (index $old "slot-key" | default (randAlphaNum 43 | b64enc)) }}
{{- range $fleet, $own := .Values.fleets }}
{{- if kindIs "map" $own }}
{{- $key := printf "fleet-%s" $fleet }}
{{- $_ := set $data $key (index $old $key | default (printf "ft_%s" (randAlphaNum 43) | b64enc)) }}
{{- end }}
{{- end }}
{{- $_ := set $made "keys" $data }}
{{- end }}
{{- range $component, $url := dict "postgresql" (list .Values.database "postgresql://pilothouse:%s@%s-postgresql:5432/pilothouse") "redis" (list .Values.redis "redis://:%s@%s-redis:6379/0") }}
{{- if not (index $url 0).existingSecret }}
{{- $old := include "pilothouse.secretInCluster" (list $ (printf "%s-%s" $name $component)) | fromJson }}
{{- include "pilothouse.refuseLostStoreSecret" (list $ $component $old "password") }}
{{- $password := index $old "password" | default (randAlphaNum 32 | b64enc) | b64dec }}
{{- $_ := set $made $component (dict "password" ($password | b64enc) "url" (printf (index $url 1) $password $name | b64enc)) }}
{{- end }}
{{- end }}
{{- if not .Values.objectStore.existingSecret }}
{{- $old := include "pilothouse.secretInCluster" (list . (printf "%s-objects" $name)) | fromJson }}
{{- include "pilothouse.refuseLostStoreSecret" (list . "objects" $old "secret-key") }}
{{- $_ := set $made "objects" (dict "access-key" (index $old "access-key" | default ("pilothouse" | b64enc)) "secret-key" (index $old "secret-key" | default (randAlphaNum 40 | b64enc))) }}
{{- end }}
{{- $_ := set .Values "madeSecrets" $made }}
{{- end }}
{{- end -}}

{{/*
Pod annotation with a digest of the Secrets in its environment: the pod restarts when their content changes. Takes a list: root, components of
generated Secrets, names of existing Secrets ("" if not set)
*/}}
{{- define "pilothouse.secretsAnnotation" -}}
{{- $root := index . 0 }}
{{- include "pilothouse.makeSecrets" $root }}
{{- $contents := dict }}
{{- range $component := index . 1 }}
{{- with get $root.Values.madeSecrets $component }}{{ $_ := set $contents $component . }}{{ end }}
{{- end }}
{{- range $secret := compact (index . 2) }}
{{- $_ := set $contents $secret (include "pilothouse.secretInCluster" (list $root $secret)) }}
{{- end }}
{{- dict "checksum/secrets" ($contents | toJson | sha256sum) | toJson }}
{{- end -}}
