import { apprise } from './apprise.js';
import type { ChatFormat } from './chat-format.js';
import { discord } from './discord.js';
import { googleChat } from './google-chat.js';
import { ntfy } from './ntfy.js';
import { pagerduty } from './pagerduty.js';
import { slack } from './slack.js';
import { teams } from './teams.js';
import { telegram } from './telegram.js';

export const CHAT_FORMATS: readonly ChatFormat[] = [
  slack,
  discord,
  teams,
  googleChat,
  telegram,
  ntfy,
  pagerduty,
  apprise,
];

export const FORMAT_NAMES: readonly string[] = CHAT_FORMATS.map(({ name }) => name);
