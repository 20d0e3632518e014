/** Whether this browser shows an account's events. Each browser of the account has its own setting. */
export interface BrowserChannel {
  readonly isOn: boolean;
  /** `missing` if the browser has no notifications here, for example without HTTPS. */
  readonly permission: NotificationPermission | 'missing';
}

const keyOf = (accountId: string) => `namewatch.browser-channel.${accountId}`;

export function readBrowserChannel(accountId: string): BrowserChannel {
  const permission = 'Notification' in globalThis && isSecureContext ? Notification.permission : 'missing';
  return { isOn: permission === 'granted' && localStorage.getItem(keyOf(accountId)) === 'on', permission };
}

/** Asks for the browser's permission, which needs a click. */
export async function turnOnBrowserChannel(accountId: string): Promise<void> {
  if ((await Notification.requestPermission()) === 'granted') localStorage.setItem(keyOf(accountId), 'on');
}

export function turnOffBrowserChannel(accountId: string): void {
  localStorage.removeItem(keyOf(accountId));
}
