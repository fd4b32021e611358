import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'
import type { MouseEvent } from 'react'

/** Clears a file input, so that choosing the same file again, such as a corrected one, counts. */
const forgetFile = (event: MouseEvent<HTMLInputElement>) => {
  event.currentTarget.value = ''
}

/** Post-office blue, the only accent colour. */
const ink: MantineColorsTuple = [
  '#eef3fb',
  '#dae4f5',
  '#b6c9ea',
  '#94b1e3',
  '#7fa3e0',
  '#4c78c4',
  '#3763b3',
  '#2a5199',
  '#22427d',
  '#1a3361',
]

const paper: MantineColorsTuple = [
  '#f7f5f1',
  '#f0ede7',
  '#e6e2da',
  '#d8d3c9',
  '#b9b3a8',
  '#8b857b',
  '#68625a',
  '#4e4943',
  '#38342f',
  '#26231f',
]

const night: MantineColorsTuple = [
  '#ebe8e3',
  '#cdc9c2',
  '#aaa59c',
  '#87827a',
  '#4a4641',
  '#3b3834',
  '#2c2a27',
  '#232120',
  '#1a1918',
  '#131211',
]

export const theme = createTheme({
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'Cascadia Mono', Consolas, Menlo, monospace",
  primaryColor: 'ink',
  primaryShade: { light: 7, dark: 6 },
  colors: { ink, gray: paper, dark: night },
  black: '#26231f',
  defaultRadius: 8,
  cursorType: 'pointer',
  fontSizes: { xs: '12px', sm: '14px', md: '14px', lg: '16px', xl: '20px' },
  spacing: { xs: '4px', sm: '8px', md: '16px', lg: '24px', xl: '32px' },
  components: {
    FileButton: { defaultProps: { inputProps: { onClick: forgetFile } } },
    // Optional fields say so in their labels, so the others need no star.
    InputWrapper: { defaultProps: { withAsterisk: false } },
    // Not in a portal: screen readers look for a menu within its landmark. Fixed: a scrolling line
    // of filters must not cut it off. No placeholder for the focus: ARIA allows none in a menu.
    Menu: {
      defaultProps: {
        withinPortal: false,
        floatingStrategy: 'fixed',
        withInitialFocusPlaceholder: false,
        transitionProps: { duration: 0 },
      },
    },
    // Not 0: the dialog must still be there when the drawer below sees the same Escape key.
    Modal: {
      defaultProps: { transitionProps: { duration: 1 } },
      styles: { title: { fontWeight: 600 } },
    },
    // Notifications close by themselves, and Mantine's close button has no name.
    Notification: { defaultProps: { withCloseButton: false } },
  },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '20px', lineHeight: '28px' }, h2: { fontSize: '16px', lineHeight: '24px' } },
  },
})

/** Surfaces and status colours. Status colours have a contrast of at least 4.5:1 on the surface. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#fffefc',
    '--mantine-color-dimmed': paper[6],
    '--mantine-color-placeholder': '#75706a',
    '--mantine-color-error': '#b3261e',
    '--canvas': '#f5f2ec',
    '--line': paper[2],
    '--hover': paper[0],
    '--mantine-color-blue-light': '#e3e9f4',
    '--mantine-color-blue-light-color': '#2a5199',
    '--mantine-color-red-light': '#f9e9e5',
    '--mantine-color-red-light-color': '#b3261e',
    '--mantine-color-yellow-light': '#f8eed9',
    '--mantine-color-yellow-light-color': '#85560a',
    '--mantine-color-teal-light': '#e2efec',
    '--mantine-color-teal-light-color': '#1b6e63',
    '--mantine-color-red-outline': '#b3261e',
    '--mantine-color-red-filled': '#b3261e',
    '--mantine-color-red-filled-hover': '#98201a',
    '--status-good': '#1b6e63',
    '--status-wait': paper[6],
    '--status-warn': '#85560a',
    '--status-bad': '#b3261e',
    '--status-read': '#2a5199',
  },
  dark: {
    '--mantine-color-body': night[7],
    '--mantine-color-dimmed': night[2],
    '--mantine-color-placeholder': '#9a958c',
    '--mantine-color-error': '#f6948a',
    '--canvas': night[8],
    '--line': night[5],
    '--hover': night[6],
    '--mantine-color-ink-light': '#27344e',
    '--mantine-color-ink-light-hover': '#2e3d5b',
    '--mantine-color-ink-light-color': ink[2],
    '--mantine-color-blue-light': '#27344e',
    '--mantine-color-blue-light-color': ink[2],
    '--mantine-color-red-light': '#3d2725',
    '--mantine-color-red-light-color': '#f6948a',
    '--mantine-color-yellow-light': '#3a3222',
    '--mantine-color-yellow-light-color': '#e6b65a',
    '--mantine-color-teal-light': '#233533',
    '--mantine-color-teal-light-color': '#6fc7b8',
    '--mantine-color-red-outline': '#f6948a',
    '--mantine-color-red-filled': '#b93a30',
    '--mantine-color-red-filled-hover': '#a53229',
    '--status-good': '#6fc7b8',
    '--status-wait': night[2],
    '--status-warn': '#e6b65a',
    '--status-bad': '#f6948a',
    '--status-read': ink[4],
  },
})
