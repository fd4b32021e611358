import './ask-early.ts'
import './without-eval.ts'
import { logInByLink } from './api/session.ts'
import { openWindow } from './open-window.tsx'

await logInByLink()
await openWindow()
