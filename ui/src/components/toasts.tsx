import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.js';

interface Toast {
  readonly text: ComponentChildren;
  readonly tone?: 'note' | 'bad';
  readonly action?: { readonly label: string; readonly run: () => void };
  /** How long the message is shown. Errors stay until they are closed. */
  readonly forMs?: number;
}

interface ShownToast extends Toast {
  readonly id: number;
}

interface Toasts {
  /** @returns a function that removes the message */
  readonly show: (toast: Toast) => () => void;
}

const ToastContext = createContext<Toasts | null>(null);
const DEFAULT_MS = 5_000;

/** Short messages at the bottom of the window, read out by screen readers. */
export function ToastProvider({ children }: { children: ComponentChildren }) {
  const [toasts, setToasts] = useState<readonly ShownToast[]>([]);
  const nextId = useRef(1);
  const remove = useCallback((id: number) => setToasts((all) => all.filter((one) => one.id !== id)), []);
  const show = useCallback((toast: Toast) => {
    const id = nextId.current++;
    setToasts((all) => [...all, { ...toast, id }]);
    const timer = toast.tone === 'bad' ? undefined : setTimeout(() => remove(id), toast.forMs ?? DEFAULT_MS);
    return () => {
      clearTimeout(timer);
      remove(id);
    };
  }, []);
  const value = useMemo(() => ({ show }), [show]);
  return (
    <ToastContext.Provider value={value}>
      {children}
      <div class="toasts" role="status">
        {toasts.map((toast) => (
          <ToastView key={toast.id} toast={toast} onClose={() => remove(toast.id)} />
        ))}
      </div>
    </ToastContext.Provider>
  );
}

function ToastView({ toast: { text, tone = 'note', action }, onClose }: { toast: ShownToast; onClose: () => void }) {
  const act = () => {
    action?.run();
    onClose();
  };
  return (
    <div class="toast" data-tone={tone}>
      <span class="toast-text">{text}</span>
      {action && (
        <button type="button" class="button small" onClick={act}>
          {action.label}
        </button>
      )}
      <button type="button" class="icon-button" aria-label="Close message" onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  );
}

export function useToasts(): Toasts {
  const toasts = useContext(ToastContext);
  if (toasts === null) throw new Error('this component is outside the toast provider');
  return toasts;
}
