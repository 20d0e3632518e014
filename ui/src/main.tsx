import { render } from 'preact';
import { App } from './app.js';
import './styles/base.css';
import './styles/shell.css';
import './styles/components.css';
import './styles/watchlist.css';
import './styles/name.css';

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no #app');
render(<App />, root);
