import type { SVGProps } from 'react'

export interface IconProps extends Omit<SVGProps<SVGSVGElement>, 'd' | 'children'> {
  size?: number
}
export type Icon = (props: IconProps) => React.ReactNode

/** A line icon: 16 px, 1.5 px stroke, in the text colour. Always used beside text or with a label. */
export const lineIcon = (d: string): Icon =>
  function LineIcon({ size = 16, strokeWidth = 1.5, ...props }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth={strokeWidth}
        strokeLinecap="round"
        strokeLinejoin="round"
        display="block"
        focusable="false"
        aria-hidden="true"
        {...props}
      >
        <path d={d} />
      </svg>
    )
  }

export const PanelIcon = lineIcon('M2.5 3h11v10h-11zM6.5 3v10')
export const SearchIcon = lineIcon('M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10ZM10.7 10.7 14 14')
export const HomeIcon = lineIcon('M2.5 7.5 8 2.5l5.5 5M4 6.5v7h8v-7M6.75 13.5V9.5h2.5v4')
export const ResultsIcon = lineIcon('M8 1.8c2.6 3 4 5.2 4 7.2a4 4 0 0 1-8 0c0-2 1.4-4.2 4-7.2Z')
export const CallIcon = lineIcon(
  'M3.5 2.5H6l1.2 3-1.5 1.2a7 7 0 0 0 3.6 3.6l1.2-1.5 3 1.2v2.5a1 1 0 0 1-1 1C7 13.5 2.5 9 2.5 3.5a1 1 0 0 1 1-1Z',
)
export const ControlIcon = lineIcon('M2 2.5v11h12M4.5 8h1L7 5l2 6 1.5-3h3')
export const ReviewIcon = lineIcon('M9 2.5H3.5v11h9V9M6 7.5 8 9.5l5.5-6')
export const SignIcon = lineIcon('M2 13.5h12M3 10.5C4.5 7 6.5 3.5 8 3.5s.5 3.5-1 5 2 .5 3-.5.5 1.5 3 1')
export const InterfacesIcon = lineIcon('M2 5.5h11M10 2.5l3 3-3 3M14 10.5H3M6 7.5l-3 3 3 3')
export const CollaboratorsIcon = lineIcon(
  'M6 6.5 8 4.5l3.5 3.5-2 2M10 9.5l-2 2L4.5 8l2-2M1.5 5l3-2.5M14.5 5l-3-2.5M1.5 11l3 2.5M14.5 11l-3 2.5',
)
export const ClientsIcon = lineIcon('M2.5 14V4l5-2v12M7.5 6h6v8M1.5 14h13M5 5.5v0M5 8v0M5 10.5v0M10.5 8.5v0M10.5 11v0')
export const PhysiciansIcon = lineIcon(
  'M4 2v4a3 3 0 0 0 6 0V2M7 9v1.5a3.5 3.5 0 0 0 7 0V9M14 9a1 1 0 1 1-2 0 1 1 0 0 1 2 0',
)
export const SalesIcon = lineIcon('M2 13l4-4.5 3 2.5 5-7M10.5 4H14v3.5')
export const RequisitionsIcon = lineIcon('M4 2h6l3 3v9H4zM10 2v3h3M6 8h5M6 11h5')
export const ReportsIcon = lineIcon('M2.5 14h11M4 14V9M8 14V3M12 14V6')
export const InsightsIcon = lineIcon('M2.5 2v11.5H14M4.5 10.5l3-3.5 2.5 2 4-5')
export const UsersIcon = lineIcon(
  'M6 8a2.75 2.75 0 1 0 0-5.5A2.75 2.75 0 0 0 6 8ZM1.5 14c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 2.8a2.75 2.75 0 0 1 0 5M12 10.3c1.6.6 2.5 1.9 2.5 3.7',
)
export const UploadIcon = lineIcon('M8 10.5V2.5M4.5 6 8 2.5 11.5 6M2.5 10.5v3h11v-3')
export const MoreIcon = lineIcon(
  'M2.6 8a.9.9 0 1 0 1.8 0 .9.9 0 1 0-1.8 0M7.1 8a.9.9 0 1 0 1.8 0 .9.9 0 1 0-1.8 0M11.6 8a.9.9 0 1 0 1.8 0 .9.9 0 1 0-1.8 0',
)
export const ChevronLeftIcon = lineIcon('M10 4 6 8l4 4')
export const ChevronDownIcon = lineIcon('M4 6l4 4 4-4')
export const UserIcon = lineIcon('M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 14c0-2.8 2.5-4.5 5.5-4.5s5.5 1.7 5.5 4.5')
export const BellIcon = lineIcon('M4 11.5V7a4 4 0 0 1 8 0v4.5M2.5 11.5h11M6.75 14h2.5')
export const LogOutIcon = lineIcon('M6 2.5H3v11h3M10 5l3 3-3 3M13 8H6')
export const MenuIcon = lineIcon('M2.5 4h11M2.5 8h11M2.5 12h11')
export const CloseIcon = lineIcon('M4 4l8 8M12 4l-8 8')
export const InfoIcon = lineIcon('M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.5V11M8 5.2v0')
export const ErrorIcon = lineIcon('M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 5v3.5M8 10.8v0')
export const SuccessIcon = lineIcon('M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM5.5 8.2 7.3 10l3.2-3.8')
export const ClockIcon = lineIcon('M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 5v3l2 1.5')
export const WarningIcon = lineIcon('M8 2 14.5 13.5h-13zM8 6.5v3M8 11.6v0')
export const DownloadIcon = lineIcon('M8 2.5v8M4.5 7 8 10.5 11.5 7M2.5 10.5v3h11v-3')
export const RetryIcon = lineIcon('M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3')
export const EyeIcon = lineIcon(
  'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4',
)
export const EyeOffIcon = lineIcon(
  'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4M3 13 13 3',
)
export const EditIcon = lineIcon('M10.5 2.8l2.7 2.7L5.5 13.2l-3.2.5.5-3.2zM9 4.3 11.7 7')
export const ArrowRightIcon = lineIcon('M3 8h10M9 4l4 4-4 4')
export const SnowflakeIcon = lineIcon('M8 1.5v13M2.4 4.75l11.2 6.5M13.6 4.75l-11.2 6.5M6 2.5l2 2 2-2M6 13.5l2-2 2 2')
