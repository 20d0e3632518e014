export { Webhook } from 'svix';
