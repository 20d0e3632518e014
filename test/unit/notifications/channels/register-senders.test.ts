import { describe, expect, it } from '@jest/globals';
import { InvalidConfigurationError } from '../../../../src/config/invalid-configuration.error.js';
import { ChannelSenderRegistry } from '../../../../src/notifications/index.js';
import { registerSenders } from '../../../../src/notifications/notifications.module.js';
import { ScriptedSender } from '../../../support/fakes/scripted-sender.js';

const ofType = (type: string, secret = 'none') => Object.assign(new ScriptedSender(), { type, secret });
const problemsOf = (...senders: ScriptedSender[]) => {
  try {
    registerSenders(new ChannelSenderRegistry(), senders);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidConfigurationError);
    return (error as Error).message.split('\n');
  }
};

describe('the channel types of extensions', () => {
  it('are registered in the order in which they are given', () => {
    const registry = new ChannelSenderRegistry();
    registerSenders(registry, [ofType('webhook'), ofType('slack'), ofType('ms_teams-2')]);
    expect(registry.all().map(({ type }) => type)).toEqual(['webhook', 'slack', 'ms_teams-2']);
  });

  it('are refused without a unique, valid name and a known kind of secret', () => {
    expect(problemsOf(ofType('webhook'), ofType('webhook'))).toEqual(['two senders have the channel type webhook']);
    expect(problemsOf(ofType('Slack!'))).toEqual([expect.stringMatching(/^the channel type "Slack!" is not 2 to 60/)]);
    expect(problemsOf(ofType('slack', 'maybe'))).toEqual([
      'the secret of the channel type slack is not signing, account or none',
    ]);
  });
});
