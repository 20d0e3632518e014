import { useState } from 'preact/hooks';
import { readBrowserChannel, turnOffBrowserChannel, turnOnBrowserChannel } from '../../api/browser-channel.js';
import { useSession } from '../../api/session.js';
import { Icon } from '../../components/icon.js';

const WHILE_OPEN = 'It works while a page of Namewatch is open here. For everything else, add a channel.';

/** Offers notes in this browser first, since they need no server and no address. */
export function BrowserCard() {
  const { me } = useSession();
  const { id } = me.account;
  const [{ isOn, permission }, setChannel] = useState(() => readBrowserChannel(id));
  const readAgain = () => setChannel(readBrowserChannel(id));
  const turnOn = () => void turnOnBrowserChannel(id).then(readAgain);
  const turnOff = () => {
    turnOffBrowserChannel(id);
    readAgain();
  };
  const test = () => void new Notification('Namewatch', { body: 'This is a test: changes appear like this.' });
  return (
    <section class="card stack" aria-labelledby="this-browser">
      <h2 id="this-browser">This browser</h2>
      <p class="muted" role="status">
        {isOn && `On: changes appear as desktop notifications. ${WHILE_OPEN}`}
        {!isOn &&
          permission === 'missing' &&
          'This browser shows no notifications here. Most browsers need HTTPS for them.'}
        {!isOn &&
          permission === 'denied' &&
          'This browser blocks notifications of this page. Allow them in its settings.'}
        {!isOn &&
          (permission === 'default' || permission === 'granted') &&
          `See changes as desktop notifications. ${WHILE_OPEN}`}
      </p>
      <div class="button-row">
        {!isOn && (permission === 'default' || permission === 'granted') && (
          <button type="button" class="button" onClick={turnOn}>
            <Icon name="bell" /> Send to this browser
          </button>
        )}
        {isOn && (
          <>
            <button type="button" class="button small" onClick={test}>
              <Icon name="send" /> Show a test
            </button>
            <button type="button" class="button small" onClick={turnOff}>
              Turn off
            </button>
          </>
        )}
      </div>
    </section>
  );
}
