import type { IconProps } from '../icons.tsx'

/** In the style of `ui/icons.tsx`. */
export const CalendarIcon = ({ size = 16, ...props }: IconProps) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.5}
    strokeLinecap="round"
    strokeLinejoin="round"
    display="block"
    focusable="false"
    aria-hidden="true"
    {...props}
  >
    <path d="M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3M10.500 2v3" />
  </svg>
)
