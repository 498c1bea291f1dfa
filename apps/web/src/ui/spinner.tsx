import { keyframes, styled } from '@mui/material/styles'

const turn = keyframes`to { transform: rotate(1turn) }`

/** The loading ring; always beside a text. */
export const Spinner = styled('span')({
  display: 'inline-block',
  flex: 'none',
  width: 14,
  height: 14,
  borderRadius: '50%',
  border: '2px solid currentColor',
  borderRightColor: 'transparent',
  opacity: 0.9,
  animation: `${turn} .8s linear infinite`,
})
