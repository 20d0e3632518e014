import { defineExtension } from 'namewatch';
import { Sender } from './sender.js';

export default defineExtension({ name: 'my-extension', compatibility: '^1.0.0', channelSenders: [Sender] });
