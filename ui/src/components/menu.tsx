import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

interface MenuProps {
  readonly label: ComponentChildren;
  /** Shown below the button while the menu is open. @param close closes the menu and focuses the button again */
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button that opens a list of choices. Escape, a choice, or a click outside closes the list. */
export function Menu({ label, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return undefined;
    box.current?.querySelector<HTMLElement>('.menu-list :is(button, input, select, a)')?.focus();
    const leave = ({ target }: Event) => {
      if (target instanceof Node && !box.current?.contains(target)) setOpen(false);
    };
    document.addEventListener('pointerdown', leave);
    document.addEventListener('focusin', leave);
    return () => {
      document.removeEventListener('pointerdown', leave);
      document.removeEventListener('focusin', leave);
    };
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      close();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || !isOpen || event.target instanceof HTMLSelectElement) return;
    event.preventDefault();
    const choices = [...(box.current?.querySelectorAll<HTMLElement>('.menu-list :is(button, input, a)') ?? [])];
    const at = choices.indexOf(document.activeElement as HTMLElement);
    choices[(at + step + choices.length) % choices.length]?.focus();
  };
  return (
    <div class="menu" ref={box} onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        class="button small"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
      </button>
      {isOpen && (
        <div class="menu-list" id={id}>
          {children(close)}
        </div>
      )}
    </div>
  );
}
