interface CredentialFieldProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
}

export function CredentialField({ value, onValue }: CredentialFieldProps) {
  return (
    <label class="field">
      <span class="field-label">Credential</span>
      <input
        required
        type="password"
        name="credential"
        autocomplete="off"
        maxLength={4_096}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <span class="field-hint">Such as a token of yours. It is sealed and never shown again.</span>
    </label>
  );
}
