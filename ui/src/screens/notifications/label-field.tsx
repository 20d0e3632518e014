interface LabelFieldProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** Lets people name a channel, since all Slack channels look alike. */
export function LabelField({ value, onValue }: LabelFieldProps) {
  return (
    <label class="field">
      <span class="field-label">Label</span>
      <input
        name="label"
        autocomplete="off"
        maxLength={60}
        placeholder="Shop team"
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <span class="field-hint">Your name for it; each channel has another. May stay empty.</span>
    </label>
  );
}
