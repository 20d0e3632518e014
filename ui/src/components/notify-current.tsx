interface NotifyCurrentProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** Whether channels are told what is so already; without it only what changes later is told. */
export function NotifyCurrent({ checked, onChange }: NotifyCurrentProps) {
  return (
    <label class="choice">
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      Notify about what is already true
    </label>
  );
}
