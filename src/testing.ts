/** The public API for tests of extensions: `import … from 'namewatch/testing'`. */
export { channelSenderContract, type ChannelSenderContractOptions } from './testing/channel-sender-contract.js';
export { readTestSettings } from './extensions/extension-settings.js';
export type { ContractCase } from './testing/contract-case.js';
export type { FakeRegistration, FakeRegistry } from './testing/fake-registry.js';
export type { MovableClock, Span } from './testing/movable-clock.js';
export { startTemporaryDatabase, type TemporaryDatabase } from './testing/temporary-database.js';
export {
  startForTests,
  type TestClient,
  type TestNamewatch,
  type TestOptions,
  type TestResponse,
  until,
} from './testing/start-for-tests.js';
export { planSourceContract, type PlanSourceContractOptions } from './testing/plan-source-contract.js';
export { subscriberContract, type SubscriberContractOptions } from './testing/subscriber-contract.js';
export { lookupSourceContract, type LookupSourceContract } from './testing/lookup-source-contract.js';
export { authenticatorContract, type AuthenticatorContractOptions } from './testing/authenticator-contract.js';
export { backgroundTaskContract, type BackgroundTaskContractOptions, type Hang } from './testing/task-contract.js';
