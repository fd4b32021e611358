import './ask-early.ts'
import './without-eval.ts'
import { logInByLink } from './api/session.ts'
import { openWindow } from './open-window.tsx'

// Not awaited: openWindow() fetches scripts that import this one, and they wait for its end.
void logInByLink().then(openWindow)
