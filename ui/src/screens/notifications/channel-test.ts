import { type Delivery, testNotificationChannel } from '../../../../clients/typescript/src/index.js';
import type { Failure } from '../../api/call.js';
import { useSession } from '../../api/session.js';
import { useAction } from '../../api/use-request.js';
import { useToasts } from '../../components/toasts.js';

interface ChannelTest {
  readonly isBusy: boolean;
  readonly failure: Failure | null;
  readonly send: () => void;
}

/** Sends a test to a channel, and tells the person the result. */
export function useChannelTest(id: string, onSent: () => void): ChannelTest {
  const { client } = useSession();
  const { show } = useToasts();
  const { isBusy, failure, run } = useAction();
  const send = () =>
    run(testNotificationChannel({ client, path: { id } }), ({ state }) => {
      show({ text: testText(state) });
      onSent();
    });
  return { isBusy, failure, send };
}

function testText(state: Delivery['state']): string {
  if (state === 'paused') return 'The test is held: this channel is off, or waits for its address.';
  return state === 'failed' ? 'The test was not sent.' : 'A test event is on its way.';
}
