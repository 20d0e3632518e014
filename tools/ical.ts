export { default as ICAL } from 'ical.js';
