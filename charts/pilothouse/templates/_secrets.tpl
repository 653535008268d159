{{/*
Secrets that the chart makes. Each is made once; every upgrade takes over what the cluster has. A Secret that is lost while its data is still there is
never replaced: sealed data would be unreadable, and a store would refuse the new password.
*/}}

{{/* Data of a Secret in the cluster, as JSON; {} where there is none, or no cluster. Takes a list: root, name */}}
{{- define "pilothouse.secretInCluster" -}}
{{ (lookup "v1" "Secret" (index . 0).Release.Namespace (index . 1)).data | default dict | toJson }}
{{- end -}}

{{/* Name of the claim of a bundled store, where it exists and is not being deleted; else empty. Takes a list: root, component */}}
{{- define "pilothouse.claim" -}}
{{- $claim := printf "data-%s-%s-0" (include "pilothouse.name" (index . 0)) (index . 1) }}
{{- $found := lookup "v1" "PersistentVolumeClaim" (index . 0).Release.Namespace $claim }}
{{- if and $found (not (dig "metadata" "deletionTimestamp" "" $found)) }}{{ $claim }}{{ end }}
{{- end -}}

{{/* Refuses to replace the Secret of a bundled store whose claim is there. Takes a list: root, component, data in the cluster, key that it must have */}}
{{- define "pilothouse.refuseLostStoreSecret" -}}
{{- $root := index . 0 }}
{{- $claim := include "pilothouse.claim" (list $root (index . 1)) }}
{{- if and $claim (not (index (index . 2) (index . 3))) }}
{{- $secret := printf "%s-%s" (include "pilothouse.name" $root) (index . 1) }}
{{- fail (printf "Secret %s/%s is missing or has no key %s, but the data of its store is there (claim %s). Restore the Secret from a backup. To give up the data, delete the claim." $root.Release.Namespace $secret (index . 3) $claim) }}
{{- end }}
{{- end -}}

{{/* Refuses to replace the keys of an installation whose database is there. Takes a list: root, data in the cluster */}}
{{- define "pilothouse.refuseLostKeys" -}}
{{- $root := index . 0 }}
{{- if not (index (index . 1) "master-key") }}
{{- $secret := printf "%s-keys" (include "pilothouse.name" $root) }}
{{- $missing := printf "Secret %s/%s is missing or has no key master-key" $root.Release.Namespace $secret }}
{{- if $root.Values.database.existingSecret }}
{{- if $root.Release.IsUpgrade }}{{ fail (printf "%s, but the installation exists: new keys could not read its sealed data. Restore the Secret from a backup, or set secrets.existingSecret. (Helm sees no Secret with --dry-run=client; use --dry-run=server.)" $missing) }}{{ end }}
{{- else }}
{{- with include "pilothouse.claim" (list $root "postgresql") }}{{ fail (printf "%s, but the database is there (claim %s): new keys could not read its sealed data. Restore the Secret from a backup, or set secrets.existingSecret. To give up the data, delete the claim." $missing .) }}{{ end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Data of the Secrets that the chart makes, by component, base64. Computed once for all templates: each call of a random function gives another value. */}}
{{- define "pilothouse.makeSecrets" -}}
{{- if not (hasKey .Values "madeSecrets") }}
{{- $name := include "pilothouse.name" . }}
{{- $made := dict }}
{{- if not .Values.secrets.existingSecret }}
{{- $old := include "pilothouse.secretInCluster" (list . (printf "%s-keys" $name)) | fromJson }}
{{- include "pilothouse.refuseLostKeys" (list . $old) }}
{{- $data := dict "master-key" (index $old "master-key" | default (randBytes 32 | b64enc)) "admin-key" (index $old "admin-key" | default (printf "ph_%s" (randAlphaNum 43) | b64enc)) }}
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
Annotation of a pod: a digest of the Secrets in its environment, so that it is replaced when their content changes. Takes a list: root, components of
Secrets that the chart may make, names of other Secrets ("" where none is set)
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
