{{- define "namewatch.fullname" -}}
{{- if contains "namewatch" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ printf "%s-namewatch" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "namewatch.selector" -}}
app.kubernetes.io/name: namewatch
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "namewatch.labels" -}}
{{ include "namewatch.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "namewatch.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- /* A list of variables from the secret. Input: dict secret, names, optional */}}
{{- define "namewatch.secretEnv" -}}
{{- range .names }}
- name: {{ . }}
  valueFrom: { secretKeyRef: { name: {{ $.secret | quote }}, key: {{ . }}, optional: {{ $.optional }} } }
{{- end }}
{{- end }}

{{- /* What every container gets. Input: dict root, settings (over the common ones) */}}
{{- define "namewatch.env" -}}
{{- $fixed := dict "HOST" "0.0.0.0" "PORT" "3000" "METRICS_HOST" "0.0.0.0" "METRICS_PORT" "9464" "DATA_DIR" "/data/namewatch" "DRAIN_SECONDS" (toString .root.Values.drainSeconds) }}
{{- range $name, $value := merge (dict) $fixed .settings .root.Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- include "namewatch.secretEnv" (dict "secret" .root.Values.secretName "names" (list "DATABASE_URL" "MASTER_KEY") "optional" false) }}
{{- include "namewatch.secretEnv" (dict "secret" .root.Values.secretName "names" (list "REDIS_URL" "MASTER_KEY_PREVIOUS" "SMTP_URL" "OIDC_CLIENT_SECRET") "optional" true) }}
{{- end }}

{{- /* What every pod has. Input: dict root */}}
{{- define "namewatch.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: {{ mul 2 .root.Values.drainSeconds }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
volumes:
  # Nothing in them outlives the pod.
  - name: data
    emptyDir: { sizeLimit: 64Mi }
  - name: tmp
    emptyDir: { sizeLimit: 256Mi }
{{- end }}

{{- define "namewatch.container" -}}
image: {{ include "namewatch.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
{{- end }}
