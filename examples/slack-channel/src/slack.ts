import { defineExtension } from 'namewatch';
import { SlackSender } from './slack-sender.js';

export default defineExtension({ name: 'slack', compatibility: '^1.0.0', channelSenders: [SlackSender] });
