// Puts the page together.

import { render } from 'preact'
import { takeKeyFromAddress } from './api.ts'
import { App } from './app.tsx'
import { followRecent } from './recent.ts'
import { followRoute } from './route.ts'
import { followServer } from './server.ts'
import { newQuestion, readAddress } from './thread.ts'

takeKeyFromAddress()
followRoute(() => newQuestion())
readAddress()
followServer()
followRecent()
const place = document.getElementById('app')
if (place) render(<App />, place)
