import '@fontsource-variable/inter/wght.css'
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './theme.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { fetched } from './api/fetched.ts'
import { overviewQuery } from './api/overview.ts'
import { queryClient } from './api/query-client.ts'
import { sendersQuery } from './api/senders.ts'
import { settingsQuery } from './api/settings.ts'
import { App } from './app.tsx'
import { AfterFirstPaint } from './components/after-first-paint.tsx'
import { LeaveGuardProvider } from './components/leave-guard.tsx'
import { startI18n } from './i18n/i18n.ts'
import { cssVariables, theme } from './theme.ts'

const Notices = lazy(() => fetched(() => import('./components/notices.tsx')))

/** Milliseconds. If the server answers later, the page is drawn before the data is there. */
const PATIENCE = 200

/** Reads the data of the first page, so that the page is not drawn empty before. */
async function readFirst(): Promise<void> {
  const read = [
    queryClient.prefetchQuery(settingsQuery),
    queryClient.prefetchQuery(overviewQuery),
    queryClient.prefetchQuery(sendersQuery),
  ]
  await Promise.race([Promise.all(read), new Promise((resolve) => setTimeout(resolve, PATIENCE))])
}

/** Draws the window into `#root`. */
export async function openWindow(): Promise<void> {
  await Promise.all([startI18n(), readFirst()])
  const root = document.getElementById('root')
  if (root === null) throw new Error('index.html has no #root')
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <QueryClientProvider client={queryClient}>
          <AfterFirstPaint>
            <Notices />
          </AfterFirstPaint>
          <LeaveGuardProvider>
            <App />
          </LeaveGuardProvider>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}
