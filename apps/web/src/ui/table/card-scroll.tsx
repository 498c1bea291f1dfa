import { styled } from '@mui/material/styles'

/** Fills a card edge to edge with a table; long lists scroll here and not the page. */
export const CardScroll = styled('div')({
  display: 'flex',
  flexDirection: 'column',
  margin: -12,
  minHeight: 69,
  maxHeight: 480,
  '& > *': { borderTop: 0, borderRadius: '0 0 var(--r-md) var(--r-md)' },
})
