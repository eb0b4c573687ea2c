// main.tsx - starts the page.
import { render } from 'preact';
import './style.css';
import { link, start } from './model/state';
import { applyTheme } from './parts/theme';
import { Shell } from './shell';

applyTheme();
start();
const app = document.getElementById('app')!;
Object.assign(app, { link }); // for tests
render(<Shell />, app);
