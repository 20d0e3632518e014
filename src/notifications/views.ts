/** What the OpenAPI document says of events and types of channels. */
export { withChannelTypes } from './channel-types-document.js';
export { withEventContract } from './event-contract.js';
