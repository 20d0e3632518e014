import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import { CHANNEL_TYPE, type ChannelSender, type ChannelSenderRegistry } from '../domain/channel-sender.js';

const SECRETS = new Set<string>(['signing', 'account', 'none']);

/** @throws InvalidConfigurationError with all problems at once */
export function registerSenders(registry: ChannelSenderRegistry, senders: readonly ChannelSender[]): void {
  const problems: string[] = [];
  for (const sender of senders) {
    const problem = findProblem(registry, sender);
    if (problem === null) registry.register(sender);
    else problems.push(problem);
  }
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
}

function findProblem(registry: ChannelSenderRegistry, { type, secret }: ChannelSender): string | null {
  if (!CHANNEL_TYPE.test(type))
    return `the channel type ${JSON.stringify(type)} is not 2 to 60 lower-case letters, digits, "-", "_" and one "."`;
  if (registry.find(type)) return `two senders have the channel type ${type}`;
  return SECRETS.has(secret) ? null : `the secret of the channel type ${type} is not signing, account or none`;
}
