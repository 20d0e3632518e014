/** How its words are written in files. */
export { formatTags } from './transfer/csv-cells.js';
