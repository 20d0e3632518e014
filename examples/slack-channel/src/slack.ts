import { defineExtension } from 'namewatch';
import { SlackSender } from './slack-sender.js';

export default defineExtension({ name: 'slack', compatibility: '^0.1.0', channelSenders: [SlackSender] });
