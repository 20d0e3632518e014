import autocannon from 'autocannon';

export { autocannon };
