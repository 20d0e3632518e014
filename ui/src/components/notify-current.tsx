interface NotifyCurrentProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** Asks whether to tell channels what is true already. Otherwise they are told only of later changes. */
export function NotifyCurrent({ checked, onChange }: NotifyCurrentProps) {
  return (
    <label class="choice">
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      Notify about what is already true
    </label>
  );
}
