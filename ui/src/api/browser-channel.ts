/** Whether this browser shows the events of an account. Others that are signed in to it choose for themselves. */
export interface BrowserChannel {
  readonly isOn: boolean;
  /** `missing`: this browser has no notifications here, for example without HTTPS. */
  readonly permission: NotificationPermission | 'missing';
}

const keyOf = (accountId: string) => `namewatch.browser-channel.${accountId}`;

export function readBrowserChannel(accountId: string): BrowserChannel {
  const permission = 'Notification' in globalThis && isSecureContext ? Notification.permission : 'missing';
  return { isOn: permission === 'granted' && localStorage.getItem(keyOf(accountId)) === 'on', permission };
}

/** Asks the person, so call it in answer to a click. */
export async function turnOnBrowserChannel(accountId: string): Promise<void> {
  if ((await Notification.requestPermission()) === 'granted') localStorage.setItem(keyOf(accountId), 'on');
}

export function turnOffBrowserChannel(accountId: string): void {
  localStorage.removeItem(keyOf(accountId));
}
