import type { ContractCase } from './contract-case.js';
import { sendingCases } from './channels/sending-cases.js';
import type { ChannelSenderContractOptions } from './channels/subject.js';
import { targetCases } from './channels/target-cases.js';

export type { ChannelSenderContractOptions };

/**
 * What the engine relies on in a type of channel. Each case has a receiver of its own on loopback, to which `http` leads
 * whatever the host: the sender needs no setting for tests.
 */
export function channelSenderContract(options: ChannelSenderContractOptions): ContractCase[] {
  return [...targetCases(options), ...sendingCases(options)];
}
