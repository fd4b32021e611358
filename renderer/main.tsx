import './ask-early.ts'
import './without-eval.ts'
import { logInByLink } from './api/session.ts'
import { openWindow } from './open-window.tsx'

// Without waiting here: the scripts that it fetches import from this one, and wait for its end.
void logInByLink().then(openWindow)
