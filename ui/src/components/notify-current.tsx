interface NotifyCurrentProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** Asks whether to notify channels of what is true already. Otherwise they get only later changes. */
export function NotifyCurrent({ checked, onChange }: NotifyCurrentProps) {
  return (
    <label class="choice">
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      Notify about what is already true
    </label>
  );
}
