# Packages: a .deb with computed dependencies, and a .tar.gz.
# SPDX-License-Identifier: GPL-3.0-or-later
