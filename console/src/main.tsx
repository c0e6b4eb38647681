import { render } from 'preact';
import { chosenTheme, showTheme } from './session/kept.ts';
import { start } from './session/session.ts';
import { App } from './shell/app.tsx';

showTheme(chosenTheme());
const root = document.getElementById('console');
if (root !== null) render(<App />, root);
void start();
