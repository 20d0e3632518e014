import { channelSenderContract } from 'namewatch/testing';
import { describe, it } from 'node:test';
import { Sender } from '../src/sender.js';

describe('the channel type', () => {
  const contract = channelSenderContract({
    create: (http, units) => new Sender(http, units),
    invalidTargets: ['nonsense', 'ftp://chat.example.test/rooms/42'],
    credential: 't0ken-of-a-test',
    invalidCredentials: ['short', 'with a space'],
  });
  for (const { name, run } of contract) it(name, run);
});
