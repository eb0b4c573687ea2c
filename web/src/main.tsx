// main.tsx - starts the page.
import { render } from 'preact';
import './style.css';
import { start } from './model/state';
import { applyTheme } from './parts/theme';
import { Shell } from './shell';

applyTheme();
start();
render(<Shell />, document.getElementById('app')!);
