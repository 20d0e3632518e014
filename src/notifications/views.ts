/** Adds the types of events and channels to the OpenAPI document. */
export { withChannelTypes } from './channel-types-document.js';
export { withEventContract } from './event-contract.js';
