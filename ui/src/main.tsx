import { render } from 'preact';
import { App } from './app.js';
import './styles/base.css';
import './styles/shell.css';
import './styles/components.css';
import './styles/watchlist.css';
import './styles/name.css';
import './styles/check.css';
import './styles/forms.css';
import './styles/agenda.css';
import './styles/notifications.css';
import './styles/account.css';
import './styles/audit.css';
import './styles/extensions.css';

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no #app');
render(<App />, root);
