import '@fontsource-variable/inter/wght.css'
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './theme.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.ts'
import { App } from './app.tsx'
import { LeaveGuardProvider } from './components/leave-guard.tsx'
import { startI18n } from './i18n/i18n.ts'
import { cssVariables, theme } from './theme.ts'

/** Draws the window into `#root`. */
export function openWindow(): void {
  startI18n()
  const root = document.getElementById('root')
  if (root === null) throw new Error('index.html has no #root')
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <QueryClientProvider client={queryClient}>
          <Notifications position="bottom-left" />
          <LeaveGuardProvider>
            <App />
          </LeaveGuardProvider>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}
