import { createTheme, type Shadows } from '@mui/material/styles'
import { themeComponents } from './theme-components.ts'

const fontFamily = 'var(--font)'
// Three elevations are enough; MUI requires twenty-five.
const shadows = Array.from({ length: 25 }, (_, height) =>
  height === 0 ? 'none' : `var(--shadow-${height < 2 ? 1 : height < 9 ? 2 : 3})`,
) as Shadows

/** The MUI theme from our tokens. The palette repeats some colours because MUI computes with them. */
export const theme = createTheme({
  cssVariables: { colorSchemeSelector: 'data-theme' },
  colorSchemes: {
    light: {
      palette: {
        primary: { main: '#004C6A', dark: '#003B53', light: '#2F86A8', contrastText: '#FFFFFF' },
        info: { main: '#1B59B3' },
        success: { main: '#17693F' },
        warning: { main: '#8A4F00' },
        error: { main: '#B3202A' },
        text: { primary: '#222C34', secondary: '#4A5864', disabled: '#9AA7B2' },
        background: { default: '#FFFFFF', paper: '#FFFFFF' },
        divider: '#E1E6EA',
      },
    },
    dark: {
      palette: {
        primary: { main: '#7CC3DE', dark: '#99D2E8', light: '#5FB1D0', contrastText: '#06222E' },
        info: { main: '#8DB8F5' },
        success: { main: '#7FD0A0' },
        warning: { main: '#F0BE6A' },
        error: { main: '#FF9C9F' },
        text: { primary: '#DDE4E9', secondary: '#AAB7C0', disabled: '#5E6E7A' },
        background: { default: '#12191E', paper: '#12191E' },
        divider: '#28343C',
      },
    },
  },
  shape: { borderRadius: 4 },
  spacing: 4,
  shadows,
  breakpoints: { values: { xs: 0, sm: 600, md: 900, lg: 1200, xl: 1536 } },
  typography: {
    fontSize: 12,
    htmlFontSize: 16,
    fontFamily,
    fontWeightMedium: 600,
    body1: { fontSize: 12, lineHeight: '16px' },
    body2: { fontSize: 12, lineHeight: '16px' },
    button: { fontSize: 12, fontWeight: 600, textTransform: 'none', letterSpacing: 0 },
  },
  components: themeComponents,
})
