import type { ThemeOptions } from '@mui/material/styles'

const focusRing = { boxShadow: 'var(--focus-ring)', outline: '2px solid transparent', outlineOffset: 2 }

/** Styles of the MUI components. Colours and sizes come from the tokens, which cover dark mode and high contrast. */
export const themeComponents: ThemeOptions['components'] = {
  MuiButtonBase: {
    defaultProps: { disableRipple: true },
    styleOverrides: { root: { '&.Mui-focusVisible': focusRing } },
  },
  MuiButton: {
    defaultProps: { variant: 'outlined', disableElevation: true, color: 'inherit' },
    styleOverrides: {
      root: ({ theme }) => ({
        minWidth: 0,
        height: 'var(--control)',
        padding: '0 10px',
        borderRadius: 'var(--r-sm)',
        border: '1px solid transparent',
        lineHeight: '16px',
        whiteSpace: 'nowrap',
        transition: 'none',
        [theme.breakpoints.down('sm')]: { height: 'var(--touch)', padding: '0 14px' },
        '&.Mui-disabled': {
          color: 'var(--n-450)',
          background: 'var(--surface-3)',
          borderColor: 'var(--line)',
          boxShadow: 'none',
        },
        '&.Mui-focusVisible': focusRing,
      }),
      sizeLarge: ({ theme }) => ({
        height: 'var(--control-lg)',
        padding: '0 16px',
        fontSize: 13,
        [theme.breakpoints.down('sm')]: { height: 'var(--touch)' },
      }),
      contained: {
        boxShadow: 'var(--shadow-1)',
        background: 'var(--p)',
        borderColor: 'var(--p)',
        color: 'var(--on-p)',
        '&:hover': { background: 'var(--p-hover)', borderColor: 'var(--p-hover)', boxShadow: 'var(--shadow-1)' },
        '&:active': { background: 'var(--p-active)', borderColor: 'var(--p-active)' },
      },
      outlined: {
        boxShadow: 'var(--shadow-1)',
        background: 'var(--surface)',
        borderColor: 'var(--line-strong)',
        color: 'var(--text)',
        '&:hover': { background: 'var(--surface-2)', borderColor: 'var(--n-400)' },
      },
      text: {
        padding: '0 6px',
        color: 'var(--link)',
        '&:hover': { background: 'transparent', textDecoration: 'underline', textUnderlineOffset: 2 },
      },
      startIcon: {
        margin: '0 6px 0 0',
        color: 'var(--text-2)',
        '.MuiButton-contained &, .MuiButton-text &': { color: 'inherit' },
      },
      endIcon: { margin: '0 0 0 6px' },
    },
    variants: [
      {
        props: { color: 'error', variant: 'outlined' },
        style: { color: 'var(--error)', borderColor: 'var(--error-line)' },
      },
      {
        props: { color: 'error', variant: 'contained' },
        style: {
          background: 'var(--error-solid)',
          borderColor: 'var(--error-solid)',
          color: '#fff',
          '&:hover': { background: 'var(--error-solid)', borderColor: 'var(--error-solid)', filter: 'brightness(.92)' },
        },
      },
    ],
  },
  MuiIconButton: {
    styleOverrides: {
      root: ({ theme }) => ({
        width: 28,
        height: 28,
        padding: 0,
        borderRadius: 'var(--r-sm)',
        color: 'var(--text-2)',
        transition: 'none',
        '&:hover': { background: 'var(--n-100)', color: 'var(--text)' },
        [theme.breakpoints.down('sm')]: { width: 44, height: 44 },
      }),
    },
  },
  MuiOutlinedInput: {
    defaultProps: { notched: false },
    styleOverrides: {
      root: ({ theme }) => ({
        height: 'var(--control)',
        fontSize: 12,
        lineHeight: '16px',
        padding: '0 9px',
        gap: 6,
        background: 'var(--surface)',
        color: 'var(--text)',
        borderRadius: 'var(--r-sm)',
        '&:hover .MuiOutlinedInput-notchedOutline': { borderColor: 'var(--n-600)' },
        '&.Mui-focused': { boxShadow: 'var(--focus-ring)' },
        '&.Mui-focused .MuiOutlinedInput-notchedOutline': { borderColor: 'var(--p)', borderWidth: 1 },
        '&.Mui-error .MuiOutlinedInput-notchedOutline': { borderColor: 'var(--error)', borderWidth: 2 },
        '&.Mui-disabled': { background: 'var(--surface-3)', color: 'var(--text-3)' },
        '&.Mui-disabled .MuiOutlinedInput-notchedOutline': { borderColor: 'var(--line-strong)' },
        '&.large': { height: 'var(--control-lg)', fontSize: 13, padding: '0 13px' },
        // 16 px on phones, or iOS zooms into the field.
        [theme.breakpoints.down('sm')]: { '&, &.large': { height: 'var(--touch)', fontSize: 16 } },
      }),
      input: {
        height: '100%',
        padding: 0,
        // The frame around the input shows the focus.
        '&:focus-visible': { outline: 0, boxShadow: 'none' },
        '&[type="password"]:not(:placeholder-shown)': { letterSpacing: 2 },
        '&::placeholder': { color: 'var(--text-3)', opacity: 1 },
        '&.Mui-disabled': { WebkitTextFillColor: 'var(--text-3)' },
      },
      notchedOutline: { top: 0, borderColor: 'var(--field-line)', '& legend': { display: 'none' } },
    },
  },
  MuiFormHelperText: {
    styleOverrides: {
      root: {
        margin: 0,
        display: 'flex',
        alignItems: 'flex-start',
        gap: 4,
        fontSize: 11,
        lineHeight: '14px',
        color: 'var(--text-3)',
        '& > svg': { flex: 'none', marginTop: 1 },
        '&.Mui-error': { color: 'var(--error)' },
      },
    },
  },
  MuiFormLabel: {
    styleOverrides: {
      root: {
        fontSize: 11,
        lineHeight: '14px',
        fontWeight: 600,
        color: 'var(--text-2)',
        '&.Mui-focused, &.Mui-error, &.Mui-disabled': { color: 'var(--text-2)' },
      },
      asterisk: { color: 'var(--error)' },
    },
  },
  MuiLink: {
    defaultProps: { underline: 'hover' },
    styleOverrides: { root: { color: 'var(--link)', borderRadius: 2, textUnderlineOffset: 2 } },
  },
  MuiPaper: { styleOverrides: { root: { backgroundImage: 'none' } } },
  MuiDialog: {
    styleOverrides: {
      paper: {
        borderRadius: 'var(--r-lg)',
        boxShadow: 'var(--shadow-3)',
        background: 'var(--surface)',
        margin: 16,
        width: 'calc(100% - 32px)',
      },
    },
  },
  MuiDialogTitle: {
    styleOverrides: {
      root: { padding: '14px 20px', fontSize: 16, lineHeight: '24px', fontWeight: 600, color: 'var(--text-strong)' },
    },
  },
  MuiDialogContent: { styleOverrides: { root: { padding: '0 20px 16px' } } },
  MuiDialogActions: {
    styleOverrides: {
      root: {
        minHeight: 56,
        padding: '0 20px',
        gap: 8,
        borderTop: '1px solid var(--line)',
        background: 'var(--surface-2)',
        '& > :not(style) ~ :not(style)': { marginLeft: 0 },
        // Text beside the buttons is shortened, never their labels.
        '& > button': { flex: 'none' },
      },
    },
  },
  MuiBackdrop: { styleOverrides: { root: { '&:not(.MuiBackdrop-invisible)': { backgroundColor: 'var(--scrim)' } } } },
  MuiMenu: {
    styleOverrides: {
      paper: {
        border: '1px solid var(--line)',
        borderRadius: 'var(--r-md)',
        boxShadow: 'var(--shadow-2)',
        background: 'var(--surface)',
      },
      list: { padding: 4 },
    },
  },
  MuiMenuItem: {
    styleOverrides: {
      root: ({ theme }) => ({
        padding: '0 12px',
        borderRadius: 'var(--r-sm)',
        fontSize: 12,
        color: 'var(--text)',
        '&:hover, &.Mui-focusVisible': { background: 'var(--n-100)' },
        '&.Mui-selected': { background: 'var(--p-100)', color: 'var(--p)', fontWeight: 600 },
        minHeight: 44,
        [theme.breakpoints.up('sm')]: { minHeight: 32 },
      }),
    },
  },
  MuiTooltip: {
    styleOverrides: {
      tooltip: {
        maxWidth: 220,
        padding: '4px 8px',
        fontSize: 11,
        lineHeight: '14px',
        fontWeight: 400,
        background: 'var(--note-bg)',
        color: 'var(--note-text)',
        borderRadius: 'var(--r-sm)',
      },
    },
  },
  MuiSkeleton: {
    styleOverrides: {
      root: {
        transform: 'none',
        borderRadius: 4,
        background: 'linear-gradient(90deg, var(--n-200), var(--n-100), var(--n-200))',
      },
    },
  },
  MuiChip: {
    styleOverrides: { root: { height: 20, fontSize: 11, fontWeight: 600 }, label: { padding: '0 8px' } },
  },
}
